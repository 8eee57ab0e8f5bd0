// The Stage is the part that bubblewrap cannot create itself: a mount namespace in which the files
// of one sandbox are in memory, limited in size and number, and in which the visible parts of the
// machine are at paths that the sandbox's user can reach. It ends with the last process.
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

// Nothing in a sandbox needs this folder, so the stage is mounted there.
inline constexpr std::string_view kStage = "/sys";

// The user of the programs of a sandbox, as they see it.
inline constexpr uid_t kInsideUser = 1000;

// The user of the sandbox outside: the user of the spec, or an unused one; an ordinary user has no
// choice.
uid_t outside_user(const Spec& spec);

// Whether this kernel can give a sandbox its own clocks: otherwise they reveal the uptime of the
// machine.
bool has_own_clocks();

// The path on the stage of the processor files that do not reveal the machine's past.
std::string processors_path();

// Moves this process into its own mount namespace and builds the stage there; its children will
// have clocks that start now. Yields the workspace, for the gateway to access.
Result<net::Fd> build_stage(const Spec& spec, uid_t user);

// The path of the egress socket on the stage.
std::string egress_path();

// Listens there; `user` alone may connect. REQUIRES: the stage has been built.
Result<net::Fd> open_egress(uid_t user);

// Becomes `user` permanently, with no groups and no privileges, and sets the resource limits.
Result<void> step_down(const Spec& spec, uid_t user);

// The path on the stage of share number `index`.
std::string share_path(std::size_t index);

}  // namespace patchbay::sandbox
