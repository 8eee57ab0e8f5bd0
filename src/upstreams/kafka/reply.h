// What an agent's reply means, and what becomes of it in the words of MCP. Both generations of
// agents are understood: those that answer with the bare result, and those that put it into an
// envelope with a status. Pure.
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
    asks,   // The agent needs something from the user before it goes on.
    going,  // More replies follow.
  };

  Kind kind = Kind::completed;
  std::string_view result;   // Raw; of one that is completed or still going.
  std::string message = {};  // In words, if the agent has some.
};

// REQUIRES: `value` is JSON.
AgentReply read_agent_reply(std::string_view value);

// The result of a tool. `id` is told along, so that it can be found in the agent's log. With
// `is_mcp`, the result is one of MCP already.
mcp::Reply agent_result(const AgentReply& reply, std::string_view id, bool is_mcp);

// A failure that the model may read, with the status that HTTP clients get.
mcp::Reply agent_failure(std::string_view message, std::string_view id, Code why);

// The parameters of notifications/progress. `token` is raw.
std::string progress_params(const AgentReply& reply, std::string_view token, int number);

// The parameters of elicitation/create.
std::string question_params(const AgentReply& reply);

// What was read of the resource `uri`: {"type":…,"uri":…,"mimeType":…,"text"|"blob":…}. A content
// that is null is written so only for readers who can tell it from an empty one.
Result<mcp::Reply> resource_result(std::string_view value, std::string_view uri,
                                   std::string_view mime_type, bool keeps_null);

}  // namespace patchbay::upstreams
