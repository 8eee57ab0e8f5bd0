#include "app/client_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "app/client_keys.h"
#include "app/client_times.h"
#include "app/endpoint.h"
#include "app/upstream_entries.h"
#include "config/make_node.h"

namespace patchbay::app {
namespace {

using config::Kind;
using config::Node;
using config::text_node;

// The names that clients use for our kinds. Empty: the URL decides.
struct ClientType {
  std::string_view name;
  std::string_view kind;
};
constexpr std::array kClientTypes{
    ClientType{"stdio", "stdio"},
    ClientType{"local", "stdio"},
    ClientType{"http", "http"},
    ClientType{"streamable-http", "http"},
    ClientType{"streamableHttp", "http"},
    ClientType{"streamable_http", "http"},
    ClientType{"sse", "sse"},
    ClientType{"ws", "ws"},
    ClientType{"remote", ""},
};

constexpr std::array<std::string_view, 3> kTypeKeys{"type", "transport", "transportType"};
// The first that is given is used.
constexpr std::array<std::string_view, 4> kUrlKeys{"httpUrl", "url", "serverUrl", "tcp"};
constexpr std::array<std::string_view, 3> kAllowKeys{"includeTools", "enabled_tools", "tools"};
constexpr std::array<std::string_view, 3> kDenyKeys{"excludeTools", "disabled_tools",
                                                    "disabledTools"};

constexpr std::string_view kNoCounterpart = "not read: it has no counterpart here";

template <std::size_t N>
const config::Member* find_first(const Node& map, const std::array<std::string_view, N>& keys) {
  for (const auto key : keys) {
    const auto found = std::ranges::find(map.members, key, &config::Member::key);
    if (found != map.members.end()) return &*found;
  }
  return nullptr;
}

Node empty_map(int line) {
  Node map;
  map.kind = Kind::map;
  map.line = line;
  return map;
}

Node at_line(Node node, int line) {
  node.line = line;
  return node;
}

void add_at(Node& map, std::string_view key, int line, Node value) {
  map.members.push_back({std::string(key), line, std::move(value)});
}

// What is null is not given: some clients write all the keys that they know.
Node without_nulls(Node entry) {
  std::erase_if(entry.members,
                [](const config::Member& one) { return one.value.kind == Kind::null; });
  return entry;
}

class EntryTranslator {
 public:
  EntryTranslator(const Node& entry, const std::string& path, const ClientContext& context)
      : entry_(without_nulls(entry)),
        path_(path),
        context_(context),
        faults_before_(context.faults.size()) {}

  std::optional<Node> translate() {
    if (entry_.kind != Kind::map) return wrong(entry_, path_, "is not a map of settings");
    if (!check_switches()) return std::nullopt;
    if (is("disabled", "true") || is("enabled", "false")) {
      return left_out("is disabled, so it is not offered");
    }
    const auto* const type = find_first(entry_, kTypeKeys);
    const auto* const named =
        type ? std::ranges::find(kClientTypes, type->value.text, &ClientType::name) : nullptr;
    if (named == kClientTypes.end()) {
      return wrong(type->value, path_, fmt::format("the type is not one of: {}", type_names()));
    }
    const std::string_view kind = named ? named->kind : "";
    url_ = find_first(entry_, kUrlKeys);
    const bool uses_url = context_.url_first && url_;
    const bool has_command = entry_.find("command") && !uses_url;
    const bool runs = named && !kind.empty() && !uses_url ? kind == "stdio" : has_command;
    if (!runs && !url_ && entry_.find("settings")) {
      return left_out("belongs to an extension of the editor, which runs it; left out");
    }
    if (only_enables()) return left_out("only enables a server of another file; left out");
    if (!runs && url_ && is_local_http(kind)) {
      return left_out("HTTP over a local socket or pipe is not supported; left out");
    }
    Node ours = empty_map(entry_.line);
    if (runs) {
      add_program(ours);
    } else if (url_) {
      add_remote(ours, kind == "stdio" ? "" : kind);
    } else {
      return wrong(entry_, path_, named ? "has no 'url'" : "has no 'command' and no 'url'");
    }
    add_tools(ours);
    add_client_times(ours, entry_, path_, context_);
    note_unread(runs);
    if (context_.faults.size() > faults_before_) return std::nullopt;
    return ours;
  }

 private:
  bool is(std::string_view key, std::string_view text) const {
    const Node* const found = entry_.find(key);
    return found && found->text == text;
  }

  bool check_switches() const {
    for (const std::string_view key : {"disabled", "enabled"}) {
      const Node* const given = entry_.find(key);
      if (!given || given->text == "true" || given->text == "false") continue;
      wrong(*given, config::member_path(path_, key), "expected true or false");
      return false;
    }
    return true;
  }

  // opencode: the server itself is in the file of an organization.
  bool only_enables() const {
    return !entry_.members.empty() &&
           std::ranges::all_of(entry_.members,
                               [](const config::Member& one) { return one.key == "enabled"; });
  }

  // VS Code: `unix:///run/server.sock#/path` and `pipe:///pipe/name`.
  bool is_local_http(std::string_view kind) const {
    const std::string& url = url_->value.text;
    return url.starts_with("pipe://") || (kind == "http" && url.starts_with("unix://"));
  }

  std::optional<Node> wrong(const Node& at, const std::string& path, std::string message) const {
    context_.faults.push_back({context_.file, at.line, path, std::move(message)});
    return std::nullopt;
  }

  std::optional<Node> left_out(std::string why) const {
    note(entry_.line, path_, std::move(why));
    return std::nullopt;
  }

  void note(int line, std::string path, std::string message) const {
    context_.notes.push_back({context_.file, line, std::move(path), std::move(message)});
  }

  // `value` with its variables in our notation, at every depth.
  Node in_our_notation(const Node& value, const std::string& path, bool for_program) const {
    Node ours = value;
    if (value.kind == Kind::scalar && value.quoted) {
      auto text = translate_text(value.text, context_.variables, for_program);
      if (!text) {
        wrong(value, path, text.error().message);
        return ours;
      }
      for (const auto& name : text->left) {
        note(value.line, path,
             for_program ? fmt::format("${{{}}} is passed to the program as it is", name)
                         : fmt::format("${{{}}} stays as it is", name));
      }
      ours.text = std::move(text->text);
    }
    for (std::size_t i = 0; i < ours.items.size(); ++i) {
      ours.items[i] = in_our_notation(value.items[i], config::element_path(path, i), for_program);
    }
    for (auto& member : ours.members) {
      member.value =
          in_our_notation(member.value, config::member_path(path, member.key), for_program);
    }
    return ours;
  }

  void copy(Node& ours, std::string_view key, std::string_view our_key,
            bool for_program = false) const {
    const Node* const given = entry_.find(key);
    if (!given) return;
    const std::string path = config::member_path(path_, key);
    add_at(ours, our_key, given->line, in_our_notation(*given, path, for_program));
  }

  // A program; its command is a text, a list with its arguments, or a map of both.
  void add_program(Node& ours) const {
    add_at(ours, "kind", entry_.line, text_node("stdio"));
    const Node* const command = entry_.find("command");
    const std::string path = config::member_path(path_, "command");
    if (!command) {
      wrong(entry_, path, "is required, but not given");
    } else if (command->kind == Kind::list) {
      add_command_list(ours, in_our_notation(*command, path, true), path);
    } else if (command->kind == Kind::map) {
      const std::pair<std::string_view, std::string_view> parts[] = {
          {"path", "command"}, {"args", "args"}, {"env", "env"}};
      for (const auto& [theirs, our_key] : parts) {
        if (const Node* const part = command->find(theirs)) {
          add_at(ours, our_key, part->line, in_our_notation(*part, path, theirs == "args"));
        }
      }
      for (const auto& [key, line, value] : command->members) {
        if (key == "path" || key == "args" || key == "env") continue;
        note(line, config::member_path(path, key), std::string(kNoCounterpart));
      }
    } else {
      copy(ours, "command", "command", true);
    }
    copy(ours, "args", "args", true);
    copy(ours, "env", "env");
    copy(ours, "environment", "env");
    drop_unset_variables(ours);
    copy(ours, "envFile", "env_file");
    add_passed_variables(ours);
    if (entry_.find("cwd")) {
      copy(ours, "cwd", "cwd");
      Node& cwd = ours.members.back().value;
      const bool relative = !cwd.text.starts_with('/') && !cwd.text.starts_with("${");
      if (relative && !context_.default_cwd.empty()) {
        cwd.text =
            (std::filesystem::path(context_.default_cwd) / cwd.text).lexically_normal().string();
      }
    } else if (!context_.default_cwd.empty()) {
      add_at(ours, "cwd", entry_.line, at_line(text_node(context_.default_cwd), entry_.line));
    }
  }

  // VS Code: null is a variable that the program does not get.
  void drop_unset_variables(Node& ours) const {
    Node* const env = ours.find("env");
    if (!env) return;
    std::erase_if(env->members, [&](const config::Member& one) {
      if (one.value.kind != Kind::null) return false;
      note(one.line, path_, fmt::format("the variable {} is null, so it is not set", one.key));
      return true;
    });
  }

  void add_command_list(Node& ours, Node command, const std::string& path) const {
    if (command.items.empty()) {
      wrong(command, path, "may not be empty");
      return;
    }
    Node args = command;
    args.items.erase(args.items.begin());
    add_at(ours, "command", command.line, std::move(command.items.front()));
    if (!args.items.empty()) add_at(ours, "args", args.line, std::move(args));
  }

  // `env_vars`: names, or maps with a name.
  void add_passed_variables(Node& ours) const {
    const Node* const given = entry_.find("env_vars");
    if (!given) return;
    Node names = at_line(config::list_node({}), given->line);
    for (const auto& item : given->items) {
      const Node* const name = item.kind == Kind::map ? item.find("name") : &item;
      if (name) names.items.push_back(*name);
      const Node* const source = item.find("source");
      if (!source || source->text == "local") continue;
      note(source->line, config::member_path(path_, "env_vars"),
           fmt::format("the source '{}' is not read: the variable is that of the gateway",
                       source->text));
    }
    add_at(ours, "env_pass", given->line, std::move(names));
  }

  // `kind` is the kind in the entry; empty if the entry has none.
  void add_remote(Node& ours, std::string_view kind) const {
    const std::string path = config::member_path(path_, url_->key);
    const Node url = in_our_notation(url_->value, path, false);
    const bool plain = url.text.starts_with("http://") || url.text.starts_with("https://") ||
                       url.text.starts_with("${");
    if (plain && kind != "ws") {
      add_at(ours, "kind", url.line, text_node(kind.empty() ? "http" : kind));
      add_at(ours, "url", url.line, url);
    } else {
      auto made = read_endpoint(url.text);
      if (!made) {
        wrong(url, path_, made.error().message);
        return;
      }
      const std::string& found = made->members.front().value.text;
      if (!kind.empty() && found != kind) {
        wrong(url, path_, fmt::format("the URL is of kind {}, the type says {}", found, kind));
        return;
      }
      for (auto& member : made->members) {
        add_at(ours, member.key, url.line, at_line(std::move(member.value), url.line));
      }
    }
    add_headers(ours);
  }

  void add_headers(Node& ours) const {
    Node all = empty_map(entry_.line);
    for (const std::string_view key : {"headers", "http_headers"}) {
      const Node* const given = entry_.find(key);
      if (!given) continue;
      const std::string path = config::member_path(path_, key);
      if (given->kind != Kind::map) {
        wrong(*given, path, "is not a map of headers");
        continue;
      }
      const Node headers = in_our_notation(*given, path, false);
      for (const auto& member : headers.members) all.members.push_back(member);
    }
    if (const Node* const from = entry_.find("env_http_headers")) {
      for (const auto& [name, line, variable] : from->members) {
        add_at(all, name, line, from_variable("", variable));
      }
    }
    if (const Node* const token = entry_.find("bearer_token_env_var")) {
      add_at(all, "Authorization", token->line, from_variable("Bearer ", *token));
    }
    if (!all.members.empty()) add_at(ours, "headers", entry_.line, std::move(all));
  }

  static Node from_variable(std::string_view before, const Node& variable) {
    return at_line(text_node(fmt::format("{}${{env:{}}}", before, variable.text)), variable.line);
  }

  // The tools that the client offers to its model: no others are offered here.
  void add_tools(Node& ours) const {
    Node tools = empty_map(entry_.line);
    add_patterns(tools, "allow", kAllowKeys);
    add_patterns(tools, "deny", kDenyKeys);
    // In our settings an empty `allow` is no limit; in the client's it allows no tool.
    if (const Node* const allow = tools.find("allow"); allow && allow->items.empty()) {
      const int line = allow->line;
      note(line, path_, "allows no tool, so none is offered");
      tools.members.clear();
      add_at(tools, "deny", line, at_line(config::list_node({"*"}), line));
    }
    if (!tools.members.empty()) add_at(ours, "tools", entry_.line, std::move(tools));
  }

  template <std::size_t N>
  void add_patterns(Node& tools, std::string_view ours,
                    const std::array<std::string_view, N>& keys) const {
    std::optional<Node> patterns;
    for (const auto key : keys) {
      const Node* const given = entry_.find(key);
      if (!given) continue;
      const std::string path = config::member_path(path_, key);
      if (given->kind == Kind::map && key == "tools") {
        note(given->line, path, std::string(find_client_key("autoApprove")->why));
        continue;
      }
      if (given->kind != Kind::list) {
        wrong(*given, path, "is not a list of tools");
        continue;
      }
      if (!patterns) patterns = at_line(config::list_node({}), given->line);
      for (Node item : given->items) {
        item.text = item.text.substr(0, item.text.find('('));  // `tool(arguments)` is the tool.
        patterns->items.push_back(std::move(item));
      }
    }
    if (patterns) add_at(tools, ours, patterns->line, *std::move(patterns));
  }

  // A note for each key that has had no effect.
  void note_unread(bool runs) const {
    for (const auto& [key, line, value] : entry_.members) {
      const std::string path = config::member_path(path_, key);
      const ClientKey* const known = find_client_key(key);
      const bool other_url =
          url_ && key != url_->key && std::ranges::find(kUrlKeys, key) != kUrlKeys.end();
      const auto* const type = find_first(entry_, kTypeKeys);
      const bool other_type = type && key != type->key && value.text != type->value.text &&
                              std::ranges::find(kTypeKeys, key) != kTypeKeys.end();
      if (!known) {
        note(line, path, std::string(kNoCounterpart));
      } else if (known->off_is_nothing && value.text == "false") {
        continue;
      } else if (known->use == KeyUse::ignored) {
        note(line, path, std::string(known->why));
      } else if (known->use == KeyUse::remote && runs) {
        note(line, path, "not read: the server is a program");
      } else if (known->use == KeyUse::program && !runs) {
        note(line, path, "not read: the server is at a URL");
      } else if (other_url) {
        note(line, path, fmt::format("not read: '{}' is used", url_->key));
      } else if (other_type) {
        note(line, path, fmt::format("not read: '{}' is used", type->key));
      }
    }
  }

  static std::string type_names() {
    std::string all;
    for (const auto& one : kClientTypes)
      all += fmt::format("{}{}", all.empty() ? "" : " ", one.name);
    return all;
  }

  const Node entry_;
  const std::string& path_;
  const ClientContext& context_;
  const std::size_t faults_before_;
  const config::Member* url_ = nullptr;
};

}  // namespace

std::optional<Node> translate_entry(const Node& entry, const std::string& path,
                                    const ClientContext& context) {
  return EntryTranslator(entry, path, context).translate();
}

}  // namespace patchbay::app
