#include "app/upstream_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "app/endpoint.h"
#include "app/server_list.h"
#include "config/make_node.h"

namespace patchbay::app {
namespace {

using config::Faults;
using config::Kind;
using config::Node;

bool good_name(std::string_view name) {
  return !name.empty() && name.size() <= kMostUpstreamName && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

// A node made from `origin` has the same location, and is as secret.
void set_origin(Node& made, const Node& origin) {
  made.line = origin.line;
  made.interpolated = origin.interpolated;
  for (auto& item : made.items) set_origin(item, origin);
  for (auto& member : made.members) {
    member.line = origin.line;
    set_origin(member.value, origin);
  }
}

class Gatherer {
 public:
  Gatherer(const std::string& file, std::string_view separator, Faults& faults)
      : file_(file), separator_(separator), faults_(faults) {}

  void add_own(const Node& section, const std::string& path) {
    for (const auto& [name, line, entry] : section.members) {
      const std::string there = config::member_path(path, name);
      if (entry.kind == Kind::scalar) {
        add_endpoint(name, entry.text, entry, there);
      } else {
        add_map(name, entry, there);
      }
    }
  }

  // A text, a list of texts, or a map.
  void add_servers(const Node& servers, const std::string& path) {
    if (servers.kind == Kind::scalar) {
      const auto entries = read_server_list(servers.text);
      for (std::size_t i = 0; i < entries.size(); ++i) {
        add_named(entries[i], servers, config::element_path(path, i));
      }
    }
    for (std::size_t i = 0; i < servers.items.size(); ++i) {
      const Node& item = servers.items[i];
      const std::string there = config::element_path(path, i);
      // `- name: endpoint` is a map of one in YAML, and means the same.
      if (item.kind == Kind::map) {
        add_server_map(item, there);
      } else {
        add_named(read_named_endpoint(item.text), item, there);
      }
    }
    add_server_map(servers, path);
  }

  std::vector<UpstreamEntry> take() { return std::move(entries_); }

 private:
  void fault(const Node& at, const std::string& path, std::string message) {
    faults_.push_back({file_, at.line, path, std::move(message)});
  }

  void add_named(const Result<NamedEndpoint>& entry, const Node& origin, const std::string& path) {
    if (!entry) return fault(origin, path, entry.error().message);
    add_endpoint(entry->name, entry->endpoint, origin, path);
  }

  void add_server_map(const Node& map, const std::string& path) {
    for (const auto& [name, line, entry] : map.members) {
      const std::string there = config::member_path(path, name);
      if (entry.kind == Kind::scalar) {
        add_endpoint(name, entry.text, entry, there);
      } else {
        add_map(name, entry, there);
      }
    }
  }

  void add_endpoint(const std::string& name, std::string_view endpoint, const Node& origin,
                    const std::string& path) {
    auto made = read_endpoint(endpoint);
    if (!made) return fault(origin, path, made.error().message);
    set_origin(*made, origin);
    add_map(name, *made, path);
  }

  void add_map(const std::string& name, const Node& entry, const std::string& path) {
    if (!good_name(name)) {
      return fault(entry, path,
                   fmt::format("a name has 1 to {} letters, digits, _ or -", kMostUpstreamName));
    }
    if (name.find(separator_) != std::string::npos) {
      return fault(entry, path,
                   fmt::format("a name must not contain '{}', which separates it from the tool",
                               separator_));
    }
    const Node* const given = entry.find("kind");
    if (entry.kind == Kind::null) {
      return fault(entry, path, "has no settings: check the indentation of the lines below it");
    }
    if (!given && !entry.find("command")) {
      return fault(entry, path, "'kind' is required, but not given");
    }
    add(name, given ? given->text : "stdio", entry, path);
  }

  void add(const std::string& name, const std::string& kind, const Node& entry,
           const std::string& path) {
    if (!names_.insert(name).second) {
      return fault(entry, path, fmt::format("another upstream is already called '{}'", name));
    }
    entries_.push_back({name, kind, entry, path});
  }

  const std::string& file_;
  const std::string separator_;
  Faults& faults_;
  std::set<std::string> names_;
  std::vector<UpstreamEntry> entries_;
};

// The keys at the top that name upstreams, and how each is read.
struct SectionKey {
  std::string_view key;
  void (Gatherer::*add)(const Node& section, const std::string& path);
};
constexpr std::array kUpstreamSections{
    SectionKey{"upstreams", &Gatherer::add_own},
    SectionKey{"servers", &Gatherer::add_servers},
    SectionKey{"mcp.servers", &Gatherer::add_servers},
    // Sections of other clients, already in our notation (client_file.h).
    SectionKey{"mcpServers", &Gatherer::add_own},
    SectionKey{"context_servers", &Gatherer::add_own},
    SectionKey{"mcp_servers", &Gatherer::add_own},
    SectionKey{"mcp", &Gatherer::add_own},
};

}  // namespace

bool names_upstreams(const Node& root) {
  return std::ranges::any_of(kUpstreamSections,
                             [&](const SectionKey& section) { return root.find(section.key); });
}

std::vector<UpstreamEntry> upstream_entries(const Node& root, const std::string& file,
                                            std::string_view separator, Faults& faults) {
  Gatherer gatherer(file, separator, faults);
  for (const auto& [key, line, value] : root.members) {
    const auto* const section = std::ranges::find(kUpstreamSections, key, &SectionKey::key);
    if (section != kUpstreamSections.end()) (gatherer.*section->add)(value, key);
  }
  return gatherer.take();
}

}  // namespace patchbay::app
