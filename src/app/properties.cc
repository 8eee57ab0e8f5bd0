#include "app/properties.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>

#include "app/default_upstreams.h"
#include "app/properties_file.h"
#include "config/file.h"
#include "config/load.h"
#include "config/make_node.h"
#include "core/command_line.h"
#include "core/environment.h"
#include "core/text.h"
#include "skills/goal_settings.h"

namespace patchbay::app {
namespace {

using config::bare_node;
using config::list_node;
using config::Node;
using config::text_node;

constexpr std::string_view kLogging = "logging.level.";

// A value and where it was defined.
struct Given {
  std::string value;
  std::string file;
  int line = 0;
  std::string name;  // The name as written there.
};
using GivenByName = std::map<std::string, Given, std::less<>>;

// The member of a map, created if it is missing.
Node& member(Node& map, std::string_view key) {
  map.kind = config::Kind::map;
  const auto found = std::ranges::find(map.members, key, &config::Member::key);
  if (found != map.members.end()) return found->value;
  return map.members.emplace_back(config::Member{std::string(key), 0, {}}).value;
}

class Mapper {
 public:
  Mapper(Node& root, config::Faults& faults) : root_(root), faults_(faults) {}

  void apply(const GivenByName& given) {
    const auto find = [&](std::string_view name) -> const Given* {
      const auto found = given.find(name);
      return found == given.end() ? nullptr : &found->second;
    };
    listen(find("server.address"), find("server.port"));
    if (const auto* const threads = find("server.tomcat.threads.max")) {
      if (whole(*threads, 1, 1'000'000)) {
        member(member(root_, "limits"), "max_calls") = bare_node(threads->value);
      }
    }
    osquery(find("mcp.osquery.enabled"), find("mcp.osquery.command"), find("mcp.osquery.args"));
    if (const auto* const raw = find("mcp.osquery.raw_sql")) raw_sql(*raw);
    levels(given);
  }

 private:
  void fault(const Given& at, std::string message) {
    faults_.push_back({at.file, at.line, at.name, std::move(message)});
  }

  std::optional<int> whole(const Given& given, int least, int most) {
    int value = 0;
    const char* const end = given.value.data() + given.value.size();
    const auto read = std::from_chars(given.value.data(), end, value);
    if (read.ec == std::errc() && read.ptr == end && value >= least && value <= most) return value;
    fault(given, fmt::format("must be a whole number from {} to {}", least, most));
    return std::nullopt;
  }

  std::optional<bool> truth(const Given& given) {
    const std::string value = ascii_lower(given.value);
    if (value == "true" || value == "1") return true;
    if (value == "false" || value == "0") return false;
    fault(given, "must be true or false");
    return std::nullopt;
  }

  void listen(const Given* address, const Given* port) {
    if (!address && !port) return;
    Node& node = member(root_, "listen");
    const std::string before = node.text.empty() ? std::string(kDefaultListen) : node.text;
    const auto colon = before.rfind(':');
    const std::string host = address ? address->value : before.substr(0, colon);
    std::string number = before.substr(colon + 1);
    if (port && whole(*port, 0, 65'535)) number = port->value;
    const bool bare_v6 = host.contains(':') && !host.starts_with('[');
    node =
        text_node(fmt::format("{}{}{}:{}", bare_v6 ? "[" : "", host, bare_v6 ? "]" : "", number));
  }

  void osquery(const Given* enabled, const Given* command, const Given* args) {
    if (!enabled && !command && !args) return;
    const bool on = !enabled || truth(*enabled).value_or(true);
    Node& upstreams = member(root_, "upstreams");
    std::string name(kOsqueryName);
    if (const Node* const goals = root_.find("goals")) {
      const Node* const section = goals->find("osquery");
      const Node* const named = section ? section->find("upstream") : nullptr;
      if (named) name = named->text;
    }
    if (!on) {
      std::erase_if(upstreams.members, [&](const config::Member& one) { return one.key == name; });
      return;
    }
    Node& upstream = member(upstreams, name);
    if (upstream.kind == config::Kind::null) upstream = osquery_upstream();
    if (command && !command->value.empty() && !is_ours(command->value)) {
      member(upstream, "command") = text_node(command->value);
      member(upstream, "args") = list_node({});
    }
    if (!args || args->value.empty()) return;
    auto split = split_args(args->value);
    if (!split) return fault(*args, split.error().message);
    member(upstream, "args") = list_node(*split);
  }

  void raw_sql(const Given& given) {
    const std::string choice = ascii_lower(given.value);
    const bool known = std::ranges::any_of(config::choices<gateway::RawSql>,
                                           [&](const auto& one) { return one.name == choice; });
    if (!known) return fault(given, "must be validated, off or any");
    member(member(member(root_, "goals"), "osquery"), "raw_sql") = bare_node(choice);
  }

  // The name of the server in examples. If no such file exists, our own server is used.
  static bool is_ours(const std::string& command) {
    const auto file = std::filesystem::path(command).filename().string();
    if (file != "osquery-mcp-server.py" && file != "osquery-mcp-server") return false;
    return ::access(command.c_str(), F_OK) != 0;
  }

  // The gateway has one level for everything: the most verbose of the requested ones. Messages are
  // logged if those of MCP are requested.
  void levels(const GivenByName& given) {
    static constexpr std::array<std::pair<std::string_view, int>, 8> kNames{{{"trace", 0},
                                                                             {"debug", 0},
                                                                             {"info", 1},
                                                                             {"warn", 2},
                                                                             {"warning", 2},
                                                                             {"error", 3},
                                                                             {"fatal", 3},
                                                                             {"off", 4}}};
    static constexpr std::array<const char*, 5> kOurs{"debug", "info", "warn", "error", "off"};
    std::optional<int> lowest;
    bool messages = false;
    for (const auto& [name, level] : given) {
      if (!name.starts_with(kLogging)) continue;
      const std::string asked = ascii_lower(level.value);
      const auto* const known =
          std::ranges::find(kNames, asked, &decltype(kNames)::value_type::first);
      if (known == kNames.end()) {
        fault(level, "must be TRACE, DEBUG, INFO, WARN, ERROR or OFF");
      } else {
        lowest = std::min(lowest.value_or(known->second), known->second);
        const std::string logger = ascii_lower(name);
        messages |= known->second == 0 && (logger.contains("mcp") || logger.ends_with("root"));
      }
    }
    const auto debug = given.find("mcp.debug");
    if (debug != given.end() && truth(debug->second).value_or(false)) {
      lowest = 0;
      messages = true;
    }
    if (messages) member(member(root_, "log"), "messages") = bare_node("true");
    if (!lowest) return;
    const auto index = static_cast<std::size_t>(*lowest);
    member(member(root_, "log"), "level") = bare_node(kOurs[index]);
  }

  Node& root_;
  config::Faults& faults_;
};

constexpr std::array<std::string_view, 7> kNames{
    "server.address",      "server.port",      "server.tomcat.threads.max", "mcp.osquery.enabled",
    "mcp.osquery.command", "mcp.osquery.args", "mcp.osquery.raw_sql",
};

// The name of a property in the environment: server.port is SERVER_PORT.
std::string environment_name(std::string_view name) {
  std::string upper;
  for (const char c : name) {
    if (c == '.') upper += '_';
    if (c != '.') upper += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return upper;
}

void take_environment(GivenByName& given) {
  const std::string logging = environment_name(kLogging);
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string variable(text.substr(0, equals));
    std::string name;
    if (variable.starts_with(logging)) name = std::string(kLogging) + variable;
    if (variable == "MCP_DEBUG") name = "mcp.debug";
    for (const auto known : kNames) {
      if (variable == environment_name(known)) name = known;
    }
    if (name.empty()) continue;
    given[name] = {read_variable(variable).value_or(""), "environment", 0, variable};
  }
}

}  // namespace

std::vector<std::string> apply_properties(const std::string& file, Node& root,
                                          config::Faults& faults) {
  GivenByName given;
  std::vector<std::string> strangers;
  if (!file.empty()) {
    auto text = config::read_trusted_file(file, config::kMaxFile);
    if (!text) {
      faults.push_back({file, 0, "", text.error().message});
      return strangers;
    }
    for (auto& property : parse_properties(*text)) {
      const bool known = property.name.starts_with(kLogging) ||
                         std::ranges::find(kNames, property.name) != kNames.end();
      if (!known) {
        strangers.push_back(property.name);
        continue;
      }
      given[property.name] = {std::move(property.value), file, property.line, property.name};
    }
  }
  take_environment(given);
  Mapper(root, faults).apply(given);
  return strangers;
}

}  // namespace patchbay::app
