// What a path of the REST front end names. The path is split at its slashes first and each part
// decoded once afterwards, so that an encoded slash never changes what it names. Pure.
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
    tool,       // One: described, or called.
    answer,     // Where a question of a call is answered.
    resources,  // All resources.
    resource,   // One: read.
    agents,     // All tools and resources as one list.
    health,
  };

  Kind kind = Kind::tools;
  Dialect dialect = Dialect::mcp;
  std::string name = {};        // Of the tool or resource, decoded.
  std::string state = {};       // Of an answer: which call.
  std::string_view path = {};   // Of a tool, as received: its answers are below it.
  std::string_view allow = {};  // The methods.
};

// Empty: there is nothing. An error: the path cannot be read, or could be read in two ways.
// `method` decides what is meant below /agents, where tools and resources stand side by side.
// Without a `topology` there is nothing below /gateway.
Result<std::optional<RestPath>> find_target(std::string_view path, std::string_view method,
                                            std::string_view topology);

}  // namespace patchbay::frontends
