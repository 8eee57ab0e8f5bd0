// Curation is what the configuration says about the tools of an upstream, whatever its kind: which
// of them are there at all, under which names, and with which descriptions. What is not allowed
// never enters the catalog, so no front end can list or reach it.
//
// Values only; usable from any thread.
#pragma once

#include <string>
#include <vector>

#include "config/fields.h"
#include "gateway/catalog/catalog.h"
#include "gateway/catalog/list_limits.h"

namespace patchbay::gateway {

struct ToolSettings {
  std::vector<std::string> allow{"*"};
  std::vector<std::string> deny = {};
  config::Dict<std::string> rename = {};
  config::Dict<std::string> describe = {};
  config::Dict<config::Duration> timeout = {};
};

// The settings that every upstream has, beside those of its kind.
struct UpstreamSettings {
  ToolSettings tools;
  ListLimits lists = {};
};

// Adds what is wrong with an upstream's `tools` section and cannot be said in a table.
void check_tools(const config::Node& tools, const config::Location& at);

// Turns what an upstream offers into what is listed. A tool cannot take a name that another one
// has: it keeps its own. Yields that, and settings for tools that are not there, as sentences.
std::vector<std::string> curate(Offer& offer, const ToolSettings& settings);

}  // namespace patchbay::gateway

namespace patchbay {

template <>
inline constexpr auto config::fields<gateway::ToolSettings> = std::tuple{
    Field{"allow", &gateway::ToolSettings::allow,
          "Patterns (`*`, `?`) of tools to offer, by the upstream's own names."},
    Field{"deny", &gateway::ToolSettings::deny,
          "Patterns of tools to leave out, even if they are allowed."},
    Field{"rename", &gateway::ToolSettings::rename,
          "New names of tools, by the upstream's own name."},
    Field{"describe", &gateway::ToolSettings::describe,
          "New descriptions of tools, by the upstream's own name."},
    Field{"timeout", &gateway::ToolSettings::timeout,
          "Maximum duration of a call of a tool, by the upstream's own name. Others have that of "
          "the upstream. 0: the same."},
};

template <>
inline constexpr auto config::fields<gateway::UpstreamSettings> = std::tuple{
    Field{"tools", &gateway::UpstreamSettings::tools,
          "Which tools of the upstream are offered, and under which names."},
    Field{"lists", &gateway::UpstreamSettings::lists,
          "Limits of what the upstream may list. A list beyond them is refused as a whole."},
};

}  // namespace patchbay
