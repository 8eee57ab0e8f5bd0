// The process that becomes a sandbox. The gateway starts patchbay-agent, which is small, or where
// that is not installed its own program, with one argument and a socket as descriptor 3. The spec
// arrives over that socket, and events return:
//
//   gateway → {spec…} + the system call filter
//           ← {"event":"egress"} + the socket that its connections to the outside come to, if any
//           ← {"event":"started","cgroup":[…],"absent":[…]} + the workspace
//           ← {"event":"failed","why":…}
//           ← {"event":"ended","usage":{…}}      and the socket closes
//
// There are two processes. The one that the gateway knows builds the stage, drops its privileges
// and becomes bubblewrap, so its end is the sandbox's end. The other, the watcher, holds the
// cgroup: it waits for that end, makes sure that nothing is left, and removes the cgroup, whichever
// was killed first.
#pragma once

namespace patchbay::sandbox {

inline constexpr char kConfineCommand[] = "confine";

// Does not return on success. Yields an exit code.
int confine();

}  // namespace patchbay::sandbox
