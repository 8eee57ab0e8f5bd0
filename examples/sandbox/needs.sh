# The example needs bubblewrap and working resource limits.
patchbay doctor
