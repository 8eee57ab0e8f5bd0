// What a path of the REST frontend names. The path is first split at its slashes, and then each
// part is decoded once, so that an encoded slash never changes the meaning.
//
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "frontends/error_body.h"

namespace patchbay::frontends {

struct RestPath {
  enum class Kind : std::uint8_t {
    tools,      // All tools.
    tool,       // One tool: described, or called.
    answer,     // The answers to a question of a call.
    resources,  // All resources.
    resource,   // One resource: read.
    agents,     // All tools and resources as one list.
    health,
  };

  Kind kind = Kind::tools;
  Dialect dialect = Dialect::mcp;
  std::string name = {};        // Of the tool or resource, decoded.
  std::string state = {};       // The id of the call, for an answer.
  std::string_view path = {};   // The path of a tool, as received: its answers are below it.
  std::string_view allow = {};  // The methods.
};

// Empty: there is no such path. An error: the path cannot be read, or is ambiguous. `method`
// distinguishes tools from resources below /agents. Without a `topology` there is nothing below
// /gateway.
Result<std::optional<RestPath>> find_target(std::string_view path, std::string_view method,
                                            std::string_view topology);

}  // namespace patchbay::frontends
