// What a stateless server needs from the client before it can go on with a call, asked of a client
// that has a session, in its own words: each input request becomes a question of its own.
//
// Runs on the worker of the link.
#pragma once

#include <string>
#include <string_view>

#include "core/task.h"
#include "gateway/call.h"

namespace patchbay::upstreams {

// How often one call may ask before it is refused.
inline constexpr int kMaxInputRounds = 8;

// Asks the client of `call` everything that `result`, which is raw and says `input_required`, wants
// to know. Yields the raw members to repeat the request with. An error if the client cannot be
// asked, or does not answer by `deadline`.
Task<std::string> ask_inputs(const gateway::Call& call, std::string_view result, Deadline deadline);

}  // namespace patchbay::upstreams
