# Without bubblewrap, or where limits cannot be set, there is nothing to show.
patchbay doctor
