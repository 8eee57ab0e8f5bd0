#include "app/configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "app/properties.h"
#include "config/digest.h"
#include "config/load.h"
#include "net/socket.h"

namespace patchbay::app {
namespace {

using config::Faults;
using config::Node;

constexpr std::size_t kMostName = 64;

bool good_name(std::string_view name) {
  return !name.empty() && name.size() <= kMostName && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

// Desktop clients allow any name; ours become part of tool names, where models allow little.
std::string made_good(std::string_view name) {
  std::string good(name.substr(0, kMostName));
  for (char& c : good) {
    if (!good_name({&c, 1})) c = '-';
  }
  return good.empty() ? "server" : good;
}

class Reader {
 public:
  Reader(const std::string& file, Faults& faults) : file_(file), faults_(faults) {}

  std::vector<UpstreamPlan> plans(const Settings& settings) {
    separator_ = settings.names.separator;
    for (const auto& [name, entry] : settings.upstreams) add_entry(name, entry);
    for (const auto& [name, entry] : settings.mcp_servers) add_desktop_entry(name, entry);
    return std::move(plans_);
  }

 private:
  void fault(const Node& at, std::string path, std::string message) {
    faults_.push_back({file_, at.line, std::move(path), std::move(message)});
  }

  void add_entry(const std::string& name, const Node& entry) {
    const std::string path = "upstreams." + name;
    if (!good_name(name)) {
      return fault(entry, path,
                   fmt::format("a name has 1 to {} letters, digits, _ or -", kMostName));
    }
    if (name.find(separator_) != std::string::npos) {
      return fault(entry, path,
                   fmt::format("a name must not contain '{}', which separates it from the tool",
                               separator_));
    }
    const Node* const given = entry.find("kind");
    if (!given && !entry.find("command")) {
      return fault(entry, path, "'kind' is required, but not given");
    }
    const std::string kind = given ? given->text : "stdio";
    if (!find_upstream_kind(kind)) {
      std::string known;
      for (const auto& one : upstream_kinds()) known += fmt::format(" {}", one.name);
      return fault(*given, path + ".kind", fmt::format("'{}' is not one of:{}", kind, known));
    }
    add(name, kind, entry, path);
  }

  // An entry as desktop clients write it: what concerns the program is read, the rest is theirs.
  void add_desktop_entry(const std::string& given_name, const Node& entry) {
    const std::string path = "mcpServers." + given_name;
    const Node* const disabled = entry.find("disabled");
    if (disabled && disabled->text == "true") return;
    if (!entry.find("command")) {
      return fault(entry, path, "has no 'command'; servers by URL are not supported yet");
    }
    Node ours;
    ours.kind = config::Kind::map;
    ours.line = entry.line;
    for (const auto& member : entry.members) {
      if (std::ranges::find(kDesktopKeys, member.key) != kDesktopKeys.end()) {
        ours.members.push_back(member);
      }
    }
    add(made_good(given_name), "stdio", ours, path);
  }

  void add(std::string name, std::string_view kind, const Node& entry, const std::string& path) {
    if (!names_.insert(name).second) {
      return fault(entry, path, fmt::format("another upstream is already called '{}'", name));
    }
    auto make = find_upstream_kind(kind)->read(name, entry, file_, path, faults_);
    plans_.push_back({name, std::string(kind), config::digest(entry), std::move(make)});
  }

  static constexpr std::array<std::string_view, 4> kDesktopKeys{"command", "args", "env", "cwd"};

  const std::string& file_;
  Faults& faults_;
  std::string separator_;
  std::set<std::string> names_;
  std::vector<UpstreamPlan> plans_;
};

// A file of a desktop client has sections of its own that are none of our business.
bool is_desktop_file(const std::string& file, const Node& root) {
  return file.ends_with(".json") && root.find("mcpServers") && !root.find("upstreams");
}

Node only_known(const Node& root) {
  Node kept = root;
  std::erase_if(kept.members,
                [](const config::Member& member) { return member.key != "mcpServers"; });
  return kept;
}

void check_listen(const Settings& settings, const Node& root, const std::string& file,
                  Faults& faults) {
  const Node* const given = root.find("listen");
  const int line = given ? given->line : 0;
  auto address = net::parse_address(settings.listen);
  if (!address) {
    faults.push_back({file, line, "listen", address.error().message});
  } else if (!address->loopback()) {
    faults.push_back({file, line, "listen",
                      fmt::format("{} is reachable from other machines, and nothing would ask them "
                                  "who they are; use 127.0.0.1:{}",
                                  settings.listen, address->port())});
  }
}

// What goals need to know of the upstreams, and which skills they name.
void finish_goals(Configuration& loaded, const Node& root, Faults& faults) {
  auto& goals = loaded.settings.goals;
  for (const auto& plan : loaded.upstreams) {
    if (plan.kind == "builtin" && goals.builtin.empty()) goals.builtin = plan.name;
    goals.has_osquery |= plan.name == goals.osquery.upstream;
  }
  const Node* const section = root.find("goals");
  for (const auto& name : goals.skills) {
    const bool known =
        std::ranges::any_of(skills(), [&](const Skill* skill) { return skill->name == name; });
    if (known) continue;
    std::string all;
    for (const Skill* const skill : skills()) all += fmt::format(" {}", skill->name);
    faults.push_back({loaded.file, section->find("skills")->line, "goals.skills",
                      fmt::format("'{}' is not one of:{}", name, all)});
  }
}

void override_settings(const Overrides& overrides, Settings& settings) {
  if (!overrides.listen.empty()) settings.listen = overrides.listen;
  settings.log.level = overrides.log_level.value_or(settings.log.level);
  settings.log.format = overrides.log_format.value_or(settings.log.format);
}

}  // namespace

Configuration load_configuration(const std::string& file, const Overrides& overrides,
                                 Faults& faults) {
  Configuration loaded;
  loaded.file = file;
  Node root;
  root.kind = config::Kind::map;
  if (!file.empty()) {
    root = config::load_file(file, faults);
    // What could be read is looked at all the same: all faults at once.
    if (root.kind == config::Kind::null && !faults.empty()) return loaded;
    if (root.kind == config::Kind::null) root.kind = config::Kind::map;
    if (is_desktop_file(file, root)) root = only_known(root);
  }
  if (root.kind == config::Kind::map && !root.find("upstreams") && !root.find("mcpServers")) {
    root.members.push_back({"upstreams", 0, default_upstreams()});
  }
  loaded.ignored = apply_properties(overrides.properties, root, faults);
  loaded.settings = config::read<Settings>(root, file, "", faults);
  override_settings(overrides, loaded.settings);
  loaded.upstreams = Reader(file, faults).plans(loaded.settings);
  finish_goals(loaded, root, faults);
  check_listen(loaded.settings, root, file, faults);
  config::sort_by_line(faults);
  loaded.digest = config::digest(root);
  return loaded;
}

std::string choose_configuration(const std::string& given) {
  if (!given.empty()) return given;
  if (const char* const named = std::getenv("PATCHBAY_CONFIG"); named && *named != '\0') {
    return named;
  }
  std::error_code ignored;
  return std::filesystem::exists("patchbay.yaml", ignored) ? "./patchbay.yaml" : "";
}

config::Shape configuration_shape() {
  config::Shape shape = config::shape_of<Settings>();
  std::vector<config::Variant> kinds;
  for (const auto& kind : upstream_kinds()) {
    kinds.push_back({"kind", std::string(kind.name), std::string(kind.meaning), kind.shape()});
  }
  config::attach_variants(shape, "upstreams", std::move(kinds));
  return shape;
}

}  // namespace patchbay::app
