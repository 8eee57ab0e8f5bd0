// The process that becomes a sandbox. The gateway starts patchbay-agent, which is small, or where
// that is not installed its own program, with one word and a socket as descriptor 3; what is to be
// run comes over that socket, and so does the way back:
//
//   gateway → {spec…} + the filter of system calls
//           ← {"event":"egress"} + the socket that its connections to the outside come to, if any
//           ← {"event":"started","cgroup":[…],"absent":[…]} + the workspace
//           ← {"event":"failed","why":…}
//           ← {"event":"ended","usage":{…}}      and the socket closes
//
// There are two of them: the one that the gateway knows builds the stage, steps down and becomes
// bubblewrap, so its end is the sandbox's end. The other, its keeper, holds the cgroup: it waits
// for that end, makes sure that nothing is left, and removes the cgroup, whoever was killed first.
#pragma once

namespace patchbay::sandbox {

inline constexpr char kConfineWord[] = "confine";

// Does not return if all goes well. Yields an exit code.
int confine();

}  // namespace patchbay::sandbox
