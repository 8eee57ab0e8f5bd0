// The meaning of an agent's reply, and its translation to MCP. Both generations of agents are
// supported: those that answer with the bare result, and those that wrap it in an envelope with a
// status.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "mcp/reply.h"

namespace patchbay::upstreams {

struct AgentReply {
  enum class Kind : std::uint8_t {
    completed,
    failed,
    asks,   // The agent needs something from the user before it continues.
    going,  // More replies follow.
  };

  Kind kind = Kind::completed;
  std::string_view result;   // Raw; of a completed or intermediate reply.
  std::string message = {};  // For people, if the agent sent one.
};

// REQUIRES: `value` is JSON.
AgentReply read_agent_reply(std::string_view value);

// The result of a tool. `id` is included, so that it can be found in the agent's log. With
// `is_mcp`, the result already is an MCP result.
mcp::Reply agent_result(const AgentReply& reply, std::string_view id, bool is_mcp);

// A failure that the model may read, with the status that HTTP clients get.
mcp::Reply agent_failure(std::string_view message, std::string_view id, Code why);

// The parameters of notifications/progress. `token` is raw.
std::string progress_params(const AgentReply& reply, std::string_view token, int number);

// The parameters of elicitation/create.
std::string question_params(const AgentReply& reply);

// The error for an unusable reply; `what` continues the sentence "the reply of the agent".
Error bad_reply(std::string_view what);

// The content of the resource `uri`: {"type":…,"uri":…,"mimeType":…,"text"|"blob":…}. A null
// content is written as null only for readers that distinguish it from an empty one.
Result<mcp::Reply> resource_result(std::string_view value, std::string_view uri,
                                   std::string_view mime_type, bool keeps_null);

}  // namespace patchbay::upstreams
