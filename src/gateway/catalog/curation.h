// Curation is the configuration of an upstream's tools, whatever its kind: which tools are offered,
// under which names, and with which descriptions. Tools that are not allowed never enter the
// catalog, so no frontend can list or reach them.
//
// Values only; usable from any thread.
#pragma once

#include <string>
#include <vector>

#include "config/read_value.h"
#include "config/settings.h"
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

// The settings that every upstream has besides those of its kind.
struct UpstreamSettings {
  ToolSettings tools;
  ListLimits lists = {};
};

// Adds faults of an upstream's `tools` section that a table of fields cannot express.
void check_tools(const config::Node& tools, const config::Location& at);

// The pattern of `deny` that leaves out the tool of that name, which is the upstream's own; null:
// none does.
const std::string* denied_by(const ToolSettings& settings, const std::string& tool);
// Whether a pattern of `allow` has the tool.
bool is_allowed(const ToolSettings& settings, const std::string& tool);

// Turns the items of an upstream into those that are listed. A tool whose new name is taken keeps
// its own. Returns such conflicts, and settings for tools that do not exist, as sentences.
std::vector<std::string> curate(Offer& offer, const ToolSettings& settings);

}  // namespace patchbay::gateway

namespace patchbay {

template <>
const config::Fields& config::fields<gateway::ToolSettings>();

template <>
const config::Fields& config::fields<gateway::UpstreamSettings>();

}  // namespace patchbay
