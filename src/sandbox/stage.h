// The Stage is what bubblewrap cannot make itself: a mount namespace in which the files of one
// sandbox live in memory, bounded in size and in number, and in which what the sandbox is to see of
// the machine has a place that the sandbox's own user can reach. It is gone with the last process.
//
// For a process with one thread, which becomes the sandbox.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "net/io/fd.h"
#include "sandbox/spec.h"

namespace patchbay::sandbox {

// Nothing of a sandbox ever needs what is there, so that is where the stage is put.
inline constexpr std::string_view kStage = "/sys";

// Who the programs of a sandbox are, as they see it.
inline constexpr uid_t kInsideUser = 1000;

// Who the sandbox is outside: the user of the spec, or one that nobody else is; as an ordinary user
// there is no choice.
uid_t outside_user(const Spec& spec);

// Whether this kernel can give a sandbox clocks of its own: else they tell since when the machine
// has been up.
bool has_own_clocks();

// Where on the stage that is told of the processors which has nothing about the machine's past.
std::string processors_place();

// Puts this process into a mount namespace of its own and builds the stage there; its children will
// have clocks that begin now. Yields the workspace, for the gateway to reach into.
Result<net::Fd> build_stage(const Spec& spec, uid_t user);

// Where on the stage the socket for what leaves the sandbox is.
std::string egress_place();

// Listens there; `user` alone may connect. REQUIRES: the stage has been built.
Result<net::Fd> open_egress(uid_t user);

// Becomes `user` for good, with no groups and no privileges, and takes on the resource limits.
Result<void> step_down(const Spec& spec, uid_t user);

// Where on the stage share number `index` is.
std::string share_place(std::size_t index);

}  // namespace patchbay::sandbox
