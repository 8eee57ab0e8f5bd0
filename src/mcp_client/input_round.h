// What a stateless server needs from the client before it can go on with a call, asked of a client
// that has a session, in its own form: each input request becomes a question of its own.
//
// Runs on the worker of the link.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "async/task.h"
#include "gateway/call/call.h"

namespace patchbay::upstreams {

// How often one call may ask before it is refused.
inline constexpr int kMaxInputRounds = 8;

// What is known of a round before it begins.
struct InputRound {
  std::string related = {};             // The task that asks, as the client knows it, if one does.
  std::set<std::string> answered = {};  // Keys that have been answered in its course.
};

// Whether `result` asks for something that has not been answered.
bool has_inputs(std::string_view result, const InputRound& round);

// Asks the client of `call` everything that `result`, which is raw and says `input_required`, wants
// to know. Yields the raw members to repeat the request with. An error if the client cannot be
// asked, or does not answer by `deadline`.
Task<std::string> ask_inputs(const gateway::Call& call, std::string_view result, InputRound& round,
                             Deadline deadline);

// The answer to a call whose client cannot be asked. A tool that cannot do its work says so in its
// result; the others have errors only.
mcp::Reply cannot_ask(const gateway::Call& call, const Error& error);

}  // namespace patchbay::upstreams
