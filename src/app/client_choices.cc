#include "app/client_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "config/make_node.h"

namespace patchbay::app {
namespace {

using config::Kind;
using config::Node;

constexpr std::size_t kMaxPatterns = 256;  // Each is compared with every server.
// Of older versions of Gemini CLI; the newer have `allowed` and `excluded` in `mcp`.
constexpr std::string_view kAllowed = "allowMCPServers";
constexpr std::string_view kExcluded = "excludeMCPServers";

const std::string& original(const ClientChoices& choices, const std::string& name) {
  const auto found = choices.names.find(name);
  return found == choices.names.end() ? name : found->second;
}

void choose(Node& servers, const Node& list, const std::string& path, bool allowed,
            const ClientChoices& choices) {
  std::set<std::string> names;
  for (const auto& name : list.items) names.insert(name.text);
  std::erase_if(servers.members, [&](const config::Member& server) {
    if (names.contains(original(choices, server.key)) == allowed) return false;
    choices.notes.push_back({choices.file, server.line,
                             config::member_path("mcpServers", server.key),
                             fmt::format("left out because of {}", path)});
    return true;
  });
}

// How opencode writes the name of a server in the names of its tools.
std::string opencode_name(std::string name) {
  for (char& c : name) {
    const bool allowed = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (!allowed) c = '_';
  }
  return name;
}

// What can be left of a pattern once `prefix` has been matched.
std::vector<std::string> parts_after(std::string_view pattern, std::string_view prefix) {
  std::set<std::size_t> offsets;
  const auto reach = [&](std::size_t offset) {
    while (offsets.insert(offset).second && offset < pattern.size() && pattern[offset] == '*') {
      ++offset;
    }
  };
  reach(0);
  for (const char c : prefix) {
    for (const std::size_t offset : std::exchange(offsets, {})) {
      if (offset == pattern.size()) continue;
      if (pattern[offset] == '*') reach(offset);
      if (pattern[offset] == '?' || pattern[offset] == c) reach(offset + 1);
    }
  }
  std::vector<std::string> parts;
  for (const std::size_t offset : offsets) {
    // What a star before it matches too needs no pattern of its own.
    const bool covered = offset > 0 && pattern[offset - 1] == '*' && offsets.contains(offset - 1);
    if (offset < pattern.size() && !covered) parts.emplace_back(pattern.substr(offset));
  }
  return parts;
}

void deny(Node& server, const std::string& pattern, int line) {
  if (!server.find("tools")) add_member(server, "tools", config::map_node({}));
  Node& tools = *server.find("tools");
  if (!tools.find("deny")) add_member(tools, "deny", config::list_node({}));
  tools.find("deny")->items.push_back(config::text_node(pattern));
  tools.find("deny")->items.back().line = line;
}

}  // namespace

bool chooses_servers(std::string_view key) { return key == kAllowed || key == kExcluded; }

void choose_servers(Node& root, const ClientChoices& choices) {
  Node* const servers = root.find("mcpServers");
  if (!servers) return;
  for (const auto& [key, line, value] : root.members) {
    if (chooses_servers(key)) choose(*servers, value, key, key == kAllowed, choices);
  }
  const Node* const mcp = root.find("mcp");
  if (!mcp) return;
  for (const auto& [key, line, value] : mcp->members) {
    const std::string path = config::member_path("mcp", key);
    if (key == "allowed" || key == "excluded") {
      choose(*servers, value, path, key == "allowed", choices);
    } else {
      choices.notes.push_back({choices.file, line, path, "not read: it has no counterpart here"});
    }
  }
}

void deny_tools(Node& root, std::string_view section, const ClientChoices& choices) {
  const Node* const tools = root.find("tools");
  Node* const servers = root.find(section);
  if (!tools || !servers) return;
  if (tools->members.size() > kMaxPatterns) {
    choices.faults.push_back({choices.file, tools->line, "tools",
                              fmt::format("has more than {} patterns", kMaxPatterns)});
    return;
  }
  for (const auto& [pattern, line, value] : tools->members) {
    bool used = false;
    for (auto& [name, at, server] : servers->members) {
      if (value.text != "false") continue;
      const std::string prefix = opencode_name(original(choices, name)) + "_";
      for (const auto& denied : parts_after(pattern, prefix)) {
        deny(server, denied, line);
        used = true;
      }
    }
    if (used) continue;
    choices.notes.push_back({choices.file, line, config::member_path("tools", pattern),
                             "concerns no server; not read"});
  }
}

}  // namespace patchbay::app
