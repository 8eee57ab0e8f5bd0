// The input that a stateless server needs before it can continue a call, requested from a client
// with a session in the client's form: each input request becomes a separate question.
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

// The state of a round before it begins.
struct InputRound {
  std::string related = {};  // The task that asks, under the id that the client knows, if one does.
  std::set<std::string> answered = {};  // Keys that were answered earlier in the task.
};

// Whether `result` asks a question that has not been answered.
bool has_inputs(std::string_view result, const InputRound& round);

// Sends the client of `call` all questions in `result`, which is raw and is `input_required`.
// Yields the raw members with which to repeat the request. An error if the client cannot be asked,
// or does not answer by `deadline`.
Task<std::string> ask_inputs(const gateway::Call& call, std::string_view result, InputRound& round,
                             Deadline deadline);

// The answer to a call whose client cannot be asked. For a tool it is a result with the failure;
// other methods only have errors.
mcp::Reply cannot_ask(const gateway::Call& call, const Error& error);

}  // namespace patchbay::upstreams
