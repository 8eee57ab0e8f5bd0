#include "gateway/catalog/curation.h"

#include "config/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/glob.h"
#include "json/read.h"

namespace patchbay::gateway {
namespace {

constexpr std::size_t kMostName = 128;

// Characters that MCP allows in the name of a tool.
bool good_name(std::string_view name) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  return !name.empty() && name.size() <= kMostName && std::ranges::all_of(name, good);
}

template <class T>
const T* find(const config::Dict<T>& dict, const std::string& key) {
  const auto found = std::ranges::find(dict, key, &std::pair<std::string, T>::first);
  return found == dict.end() ? nullptr : &found->second;
}

// The new name of each renamed tool. A tool that is not renamed keeps its name in every case. A
// tool that cannot get its new name is not renamed, which may block the new name of another.
std::map<std::string, std::string> new_names(const std::vector<mcp::Item>& tools,
                                             const ToolSettings& settings,
                                             std::vector<std::string>& problems) {
  std::map<std::string, std::string> names;
  std::set<std::string> taken;
  for (const auto& tool : tools) {
    if (const auto* const name = find(settings.rename, tool.key)) {
      names.emplace(tool.key, *name);
    } else {
      taken.insert(tool.key);
    }
  }
  for (bool again = true; again;) {
    again = false;
    std::erase_if(names, [&](const auto& renamed) {
      const auto& [own, name] = renamed;
      if (!taken.contains(name)) return false;
      problems.push_back(
          fmt::format("'{}' cannot be renamed to '{}': there is a tool of that name", own, name));
      taken.insert(own);
      again = true;
      return true;
    });
  }
  return names;
}

template <class T>
void note_absent(const std::vector<mcp::Item>& tools, const config::Dict<T>& dict,
                 std::string_view key, std::vector<std::string>& problems) {
  for (const auto& [own, value] : dict) {
    if (std::ranges::find(tools, own, &mcp::Item::key) != tools.end()) continue;
    problems.push_back(fmt::format("tools.{} is about '{}', which is not there", key, own));
  }
}

}  // namespace

void check_tools(const config::Node& tools, const config::Location& at) {
  const config::Node* const rename = tools.find("rename");
  if (!rename) return;
  const config::Location there = at.member("rename");
  std::map<std::string, std::string> taken;
  for (const auto& [own, line, name] : rename->members) {
    if (name.kind != config::Kind::scalar) continue;
    if (!good_name(name.text)) {
      there.member(own).fault(
          name.line, fmt::format("a name has 1 to {} letters, digits, _, - or .", kMostName));
    }
    const auto [first, fresh] = taken.emplace(name.text, own);
    if (!fresh) {
      there.member(own).fault(name.line,
                              fmt::format("'{}' is renamed to the same name", first->second));
    }
  }
}

const std::string* denied_by(const ToolSettings& settings, const std::string& tool) {
  const auto found = std::ranges::find_if(
      settings.deny, [&tool](const std::string& glob) { return matches_glob(glob, tool); });
  return found == settings.deny.end() ? nullptr : &*found;
}

bool is_allowed(const ToolSettings& settings, const std::string& tool) {
  return std::ranges::any_of(settings.allow,
                             [&tool](const std::string& glob) { return matches_glob(glob, tool); });
}

std::vector<std::string> curate(Offer& offer, const ToolSettings& settings) {
  std::vector<std::string> problems;
  auto& tools = mcp::of(offer.items, mcp::ItemKind::tool);
  std::erase_if(tools, [&](const mcp::Item& tool) {
    return !is_allowed(settings, tool.key) || denied_by(settings, tool.key);
  });
  note_absent(tools, settings.rename, "rename", problems);
  note_absent(tools, settings.describe, "describe", problems);
  note_absent(tools, settings.timeout, "timeout", problems);
  const auto names = new_names(tools, settings, problems);
  for (auto& tool : tools) {
    if (const auto* const text = find(settings.describe, tool.key)) {
      tool.definition = json::with_member(tool.definition, "description", json::quote(*text));
    }
    const auto* const timeout = find(settings.timeout, tool.key);
    const auto name = names.find(tool.key);
    if (name != names.end()) {
      offer.own_names.emplace(name->second, tool.key);
      tool.key = name->second;
    }
    if (timeout) offer.timeouts.emplace(tool.key, *timeout);
  }
  return problems;
}

}  // namespace patchbay::gateway

namespace patchbay {

template <>
const config::Fields& config::fields<gateway::ToolSettings>() {
  static const Fields kFields = fields_of<gateway::ToolSettings>({
      {"allow", &gateway::ToolSettings::allow,
       "Patterns (`*`, `?`) of tools to offer, by the upstream's own names."},
      {"deny", &gateway::ToolSettings::deny,
       "Patterns of tools to leave out, even if they are allowed."},
      {"rename", &gateway::ToolSettings::rename, "New names of tools, by the upstream's own name."},
      {"describe", &gateway::ToolSettings::describe,
       "New descriptions of tools, by the upstream's own name."},
      {"timeout", &gateway::ToolSettings::timeout,
       "Maximum duration of a call of a tool, by the upstream's own name. Others have that of "
       "the upstream. 0: the same."},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<gateway::UpstreamSettings>() {
  static const Fields kFields = fields_of<gateway::UpstreamSettings>({
      {"tools", &gateway::UpstreamSettings::tools,
       "Which tools of the upstream are offered, and under which names."},
      {"lists", &gateway::UpstreamSettings::lists,
       "Limits of what the upstream may list. A list beyond them is refused as a whole."},
  });
  return kFields;
}

}  // namespace patchbay
