#include "app/editable_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "app/configuration.h"
#include "app/configuration_text.h"
#include "config/fields.h"
#include "core/glob.h"
#include "net/http/syntax/url.h"

namespace patchbay::app {
namespace {

using config::Kind;
using config::Node;
using Keys = std::vector<std::string>;
using Patterns = std::span<const std::string_view>;

// Settings that may be changed: `*` stands for text within a key, `**` for all below.
constexpr std::array<std::string_view, 15> kEditable{
    "limits.**", "validation.*", "names.*", "rules", "approvals.*", "pins", "ready.*", "server.*",
    "stop.*", "reload.stable_interval", "reload.max_*", "telemetry.max_*",
    // Not the log, and not how long the records of the audit are stored: they say who has changed
    // what.
    "audit.max_queries*", "audit.max_queued_queries", "goals.max_*"};
// The same within an upstream of any kind...
constexpr std::array<std::string_view, 17> kOfUpstreams{"tools.**",
                                                        "lists.**",
                                                        "timeout",
                                                        "*_timeout",
                                                        "*_interval",
                                                        "response_timeout_ms",
                                                        "max_*",
                                                        "instances",
                                                        "isolation",
                                                        "restart.*",
                                                        "health.*",
                                                        "tasks.*",
                                                        "ttl",
                                                        "select.**",
                                                        "limits.max_*",
                                                        "request_progress",
                                                        "protocol.revision"};
// ...of one that is reached by its URL...
constexpr std::array<std::string_view, 4> kUrlKinds{"http", "sse", "custom-http-sse", "ws"};
constexpr std::array<std::string_view, 2> kOfUrls{"url", "headers.*"};
// ...and of a new one.
constexpr std::array<std::string_view, 1> kOfNew{"kind"};
constexpr std::array<std::string_view, 2> kOfNewPrograms{"kind", "command"};

constexpr std::string_view kStdio = "stdio";

bool matches(std::string_view pattern, std::span<const std::string> keys) {
  while (!pattern.empty()) {
    if (pattern == "**") return true;
    if (keys.empty()) return false;
    const std::size_t dot = std::min(pattern.find('.'), pattern.size());
    if (pattern.substr(dot) == ".**" && keys.size() == 1) return pattern.substr(0, dot) == keys[0];
    if (!matches_glob(pattern.substr(0, dot), keys.front())) return false;
    pattern.remove_prefix(std::min(dot + 1, pattern.size()));
    keys = keys.subspan(1);
  }
  return keys.empty();
}

bool any_matches(Patterns patterns, std::span<const std::string> keys) {
  return std::ranges::any_of(patterns, [&](auto pattern) { return matches(pattern, keys); });
}

bool equal(const Node& one, const Node& other) {
  if (one.kind != other.kind || one.text != other.text || one.quoted != other.quoted ||
      one.items.size() != other.items.size() || one.members.size() != other.members.size()) {
    return false;
  }
  if (!std::ranges::equal(one.items, other.items, equal)) return false;
  return std::ranges::all_of(one.members, [&](const config::Member& member) {
    const Node* const same = other.find(member.key);
    return same && equal(member.value, *same);
  });
}

bool reads_outside(const Node& node) {
  const auto scalars = scalars_of(node);
  return std::ranges::any_of(
      scalars, [](const ScalarAt& one) { return one.node->text.find("${") != std::string::npos; });
}

bool is_section(const Node* node) {
  return !node || node->kind == Kind::map || node->kind == Kind::null;
}

bool has_members(const Node* node) { return node && !node->members.empty(); }

std::string path_of(std::span<const std::string> keys) {
  std::string path;
  for (const auto& key : keys) path = config::member_path(path, key);
  return path;
}

std::string_view text_of(const Node& map, std::string_view key) {
  const Node* const found = map.find(key);
  return found && found->kind == Kind::scalar ? std::string_view(found->text) : std::string_view();
}

std::string_view kind_of(const Node& entry) {
  return entry.find("kind") ? text_of(entry, "kind") : kStdio;
}

bool has_url(std::string_view kind) {
  return std::ranges::find(kUrlKinds, kind) != kUrlKinds.end();
}

// Scheme, host and port; empty for what is no URL.
std::string origin_of(std::string_view text) {
  const auto url =
      text.starts_with("ws") ? net::parse_url(text, net::kWsSchemes) : net::parse_url(text);
  return url ? (text.starts_with("ws") ? "ws:" : "") + url->origin() : "";
}

// What an entry has of `before` that is for its server alone.
bool keeps_credentials(const Node& before, const Node& entry) {
  if (entry.find("auth") || entry.find("tls")) return true;
  // What is secret depends on the sections around it.
  const auto within = [](const Node& of) {
    Node section;
    section.kind = Kind::map;
    section.members.push_back({"upstream", of.line, of});
    return section;
  };
  const Node old_section = within(before);
  const Node new_section = within(entry);
  const auto known = scalars_of(old_section);
  for (const auto& one : scalars_of(new_section)) {
    const bool secret = one.secret || one.node->text.find("${") != std::string::npos;
    if (!secret || one.path == "upstream.url") continue;
    const auto same = std::ranges::find(known, one.path, &ScalarAt::path);
    if (same != known.end() && same->node->text == one.node->text) return true;
  }
  return false;
}

class Comparison {
 public:
  Comparison(const Node& now, const std::string& file) : file_(file) {
    const Node* const stdio = now.find("stdio");
    if (stdio) allowed_commands_ = stdio->find("allowed_commands");
  }

  ConfigurationChanges compare(const Node& now, const Node& next) {
    visit(&now, &next, {});
    return std::move(found_);
  }

 private:
  void refuse(std::span<const std::string> keys, int line, const std::string& why) {
    found_.refused.push_back({line, path_of(keys), why});
  }

  std::string elsewhere() const {
    return fmt::format("edit {} on the machine of the gateway", file_);
  }

  // Null for what is not there.
  void visit(const Node* now, const Node* next, const Keys& keys) {
    if (now && next && equal(*now, *next)) return;
    if (keys.size() == 2 && keys[0] == "upstreams") return visit_upstream(now, next, keys);
    if (keys.size() == 1 && keys[0] == "upstreams" && !next) {
      found_.paths.push_back(path_of(keys));
      return refuse(keys, 0, "the default upstreams would start; " + elsewhere());
    }
    if (is_section(now) && is_section(next) && (has_members(now) || has_members(next))) {
      return visit_members(now, next, keys);
    }
    visit_value(next, keys);
  }

  void visit_members(const Node* now, const Node* next, const Keys& keys) {
    Keys below = keys;
    below.emplace_back();
    if (next) {
      for (const auto& [key, line, value] : next->members) {
        below.back() = key;
        visit(now ? now->find(key) : nullptr, &value, below);
      }
    }
    if (!now) return;
    for (const auto& [key, line, value] : now->members) {
      if (next && next->find(key)) continue;
      below.back() = key;
      visit(&value, nullptr, below);
    }
  }

  void visit_value(const Node* next, const Keys& keys) {
    found_.paths.push_back(path_of(keys));
    const int line = next ? next->line : 0;
    if (!is_editable(keys)) return refuse(keys, line, why_not(keys));
    if (next && reads_outside(*next)) {
      refuse(keys, line, "${…} reads a variable or a file; " + elsewhere());
    }
  }

  bool is_editable(std::span<const std::string> keys) const {
    if (keys.empty()) return false;
    if (keys[0] != "upstreams" || keys.size() < 3) return any_matches(kEditable, keys);
    const auto own = keys.subspan(2);
    return any_matches(kOfUpstreams, own) || any_matches(of_kind_, own);
  }

  std::string why_not(std::span<const std::string> keys) const {
    const bool of_program = !keys.empty() && keys[0] == "upstreams" && keys.size() > 2;
    return fmt::format("cannot be changed over the network{}; {}",
                       of_program ? ", and neither can anything that says what an upstream runs, "
                                    "reads or sends as its credentials"
                                  : "",
                       elsewhere());
  }

  void visit_upstream(const Node* now, const Node* next, const Keys& keys) {
    if (!next) {  // It ends, and nothing begins.
      found_.paths.push_back(path_of(keys));
      return;
    }
    const bool maps = next->kind == Kind::map && (!now || now->kind == Kind::map);
    if (!maps || (now && kind_of(*now) != kind_of(*next))) {
      found_.paths.push_back(path_of(keys));
      return refuse(keys, next->line,
                    "an upstream of another kind or form is another upstream; " + elsewhere());
    }
    const std::string_view kind = kind_of(*next);
    of_kind_ = has_url(kind) ? Patterns(kOfUrls) : Patterns();
    if (now) {
      visit_members(now, next, keys);
      check_url(*now, *next, keys);
    } else {
      visit_new(*next, keys);
    }
    of_kind_ = {};
  }

  void check_url(const Node& now, const Node& next, Keys keys) {
    if (!has_url(kind_of(next)) || text_of(now, "url") == text_of(next, "url")) return;
    const std::string origin = origin_of(text_of(next, "url"));
    if (!origin.empty() && origin == origin_of(text_of(now, "url"))) return;
    if (!keeps_credentials(now, next)) return;
    keys.emplace_back("url");
    const Node* const url = next.find("url");
    refuse(keys, url ? url->line : next.line,
           "its credentials would go to another server; write new ones with the new URL, or " +
               elsewhere());
  }

  void visit_new(const Node& entry, Keys keys) {
    const std::string_view kind = kind_of(entry);
    found_.paths.push_back(path_of(keys));
    const std::string command(text_of(entry, "command"));
    if (kind == kStdio && !is_allowed(command)) {
      return refuse(keys, entry.line,
                    fmt::format("a command is defined on the machine of the gateway: patchbay add "
                                "-c {} {} -- {}; only a program that stdio.allowed_commands names "
                                "exactly can be added here",
                                file_, keys[1], command.empty() ? "COMMAND" : command));
    }
    if (kind != kStdio && !has_url(kind)) {
      return refuse(keys, entry.line,
                    fmt::format("an upstream of kind {} cannot be added over the network; {}", kind,
                                elsewhere()));
    }
    keys.emplace_back();
    for (const auto& [key, line, value] : entry.members) {
      keys.back() = key;
      const auto own = std::span(keys).subspan(2);
      const bool begins = any_matches(kind == kStdio ? Patterns(kOfNewPrograms) : kOfNew, own);
      if (!begins) visit(nullptr, &value, keys);
      if (begins && reads_outside(value)) visit_value(&value, keys);
    }
  }

  bool is_allowed(const std::string& command) const {
    return allowed_commands_ && !command.empty() &&
           std::ranges::find(allowed_commands_->items, command, &Node::text) !=
               allowed_commands_->items.end();
  }

  const std::string& file_;
  const Node* allowed_commands_ = nullptr;  // Those of the file as it is.
  Patterns of_kind_;                        // What else may be changed in this upstream.
  ConfigurationChanges found_;
};

// Gives each old key its current name.
void rename_keys(Node& root, const std::string& file) {
  config::Faults ignored;
  config::Faults notes;
  config::apply_aliases(config::fields<Settings>(), root, {file, "", ignored}, notes);
  Node* const upstreams = root.find("upstreams");
  if (!upstreams) return;
  for (auto& [name, line, entry] : upstreams->members) {
    const config::Location at{file, config::member_path("upstreams", name), ignored};
    const UpstreamKind* const kind = find_upstream_kind(kind_of(entry));
    if (kind) config::apply_aliases(kind->fields(), entry, at, notes);
    config::apply_aliases(config::fields<gateway::UpstreamSettings>(), entry, at, notes);
  }
}

}  // namespace

ConfigurationChanges configuration_changes(Node now, Node next, const std::string& file) {
  for (Node* const root : {&now, &next}) {
    if (root->kind == Kind::null) root->kind = Kind::map;
    rename_keys(*root, file);
  }
  return Comparison(now, file).compare(now, next);
}

}  // namespace patchbay::app
