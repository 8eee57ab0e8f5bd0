// add and remove: change the upstreams of the configuration.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "app/configuration.h"
#include "app/default_upstreams.h"
#include "app/endpoint.h"
#include "app/run_gateway.h"
#include "app/upstream_entries.h"
#include "app/write_file.h"
#include "cli/commands.h"
#include "cli/edit_config.h"
#include "cli/terminal.h"
#include "config/edit_json.h"
#include "config/edit_yaml.h"
#include "config/file.h"
#include "config/load.h"
#include "config/make_node.h"
#include "config/parse.h"
#include "config/read_value.h"
#include "json/text.h"

namespace patchbay::app {
namespace {

using config::Faults;
using config::Node;

constexpr std::string_view kSeparator = "__";

// A configuration that is being edited.
struct Draft {
  std::string file;
  std::string text;
  bool json = false;
  Node root = {};      // As written: ${…} is not resolved.
  Faults faults = {};  // Of the file before the change.
};

int edit_failure(const Error& error) {
  complain("patchbay: {}\n", error.message);
  if (error.code == Code::invalid_params) return kExitUsage;
  return error.code == Code::not_found ? kExitUnknown : kExitConfiguration;
}

Result<Draft> open_draft(const EditOptions& options) {
  Draft draft{choose_configuration(options.config), ""};
  if (draft.file.empty()) {
    return Error{Code::invalid_request,
                 "there is no patchbay.yaml here; `patchbay init` writes one, or name a file "
                 "with -c"};
  }
  auto text = config::read_file(draft.file, config::kMaxFile);
  if (!text) {
    return Error{Code::invalid_request, fmt::format("{} {}", draft.file, text.error().message)};
  }
  draft.text = *std::move(text);
  const std::size_t first = draft.text.find_first_not_of(" \t\r\n");
  draft.json =
      draft.file.ends_with(".json") || (first != std::string::npos && draft.text[first] == '{');
  Faults faults;
  draft.root = draft.json ? config::parse_json(draft.text, draft.file, faults)
                          : config::parse_yaml(draft.text, draft.file, faults);
  if (!faults.empty()) return Error{Code::invalid_request, config::to_string(faults.front())};
  load_configuration(draft.file, {}, draft.faults);
  return draft;
}

bool is_same(const config::Fault& a, const config::Fault& b) {
  return a.path == b.path && a.message == b.message;
}

// What is wrong with the new text and was not with the old one. The text is read from a file beside
// the configuration, so that paths in it lead where they will.
Result<Faults> new_faults(const Draft& draft, const std::string& text) {
  const std::filesystem::path path(draft.file);
  const std::string trial =
      (path.parent_path() /
       fmt::format(".{}.{}{}", path.stem().string(), ::getpid(), path.extension().string()))
          .string();
  auto written = create_file(trial, text, kPrivateMode);
  if (!written) return written.error();
  Faults faults;
  load_configuration(trial, {}, faults);
  ::unlink(trial.c_str());
  std::erase_if(faults, [&](const config::Fault& fault) {
    return std::ranges::any_of(draft.faults,
                               [&](const config::Fault& old) { return is_same(old, fault); });
  });
  for (auto& fault : faults) fault.file = draft.file;
  return faults;
}

// Checks the new text and writes it; yields the exit code.
int finish(const Draft& draft, const std::string& text, const EditOptions& options,
           std::string_view done) {
  auto faults = new_faults(draft, text);
  if (!faults) return edit_failure(faults.error());
  if (!faults->empty()) {
    report_faults(*faults);
    return kExitConfiguration;
  }
  if (options.dry_run && !options.json) print_raw(line_difference(draft.text, text, draft.file));
  if (!options.dry_run) {
    auto written = replace_file(draft.file, text, kAnyMode);
    if (!written) return edit_failure(written.error());
  }
  if (options.json) {
    print_raw(fmt::format("{{\"file\":{},\"{}\":{},\"dry_run\":{}}}\n", json::quote(draft.file),
                          done, json::quote(options.name), options.dry_run));
  } else if (!options.dry_run) {
    print("{} {}: {}\n", done, options.name, draft.file);
  }
  return kExitOk;
}

Result<void> add_pairs(Node& entry, std::string_view key, const std::vector<std::string>& pairs) {
  if (pairs.empty()) return ok();
  Node map = config::map_node({});
  for (const auto& pair : pairs) {
    const std::size_t end = pair.find('=');
    if (end == std::string::npos || end == 0) {
      return Error{Code::invalid_params, fmt::format("'{}' is not NAME=VALUE", pair)};
    }
    config::add_member(map, pair.substr(0, end), config::text_node(pair.substr(end + 1)));
  }
  config::add_member(entry, key, std::move(map));
  return ok();
}

// The entry in the form of a desktop client if `desktop`, else in ours.
Result<Node> entry_of(const EditOptions& options, bool desktop) {
  const auto& args = options.args;
  if (args.empty()) {
    return Error{Code::invalid_params,
                 "which server? patchbay add NAME -- COMMAND [ARGS], or patchbay add NAME URL"};
  }
  if (args.size() == 1 && args.front().find("://") != std::string::npos) {
    if (!options.env.empty()) {
      return Error{Code::invalid_params, "--env is for a command, not for a URL"};
    }
    auto entry = read_endpoint(args.front());
    if (!entry) return Error{Code::invalid_params, entry.error().message};
    if (desktop) entry = config::map_node({{"url", 0, config::text_node(args.front())}});
    auto added = add_pairs(*entry, "headers", options.headers);
    if (!added) return added.error();
    return entry;
  }
  if (!options.headers.empty()) {
    return Error{Code::invalid_params, "--header is for a URL, not for a command"};
  }
  Node entry = config::map_node({});
  if (!desktop) config::add_member(entry, "kind", config::text_node("stdio"));
  config::add_member(entry, "command", config::text_node(args.front()));
  const std::vector<std::string> rest(args.begin() + 1, args.end());
  if (!rest.empty()) config::add_member(entry, "args", config::list_node(rest));
  auto added = add_pairs(entry, "env", options.env);
  if (!added) return added.error();
  return entry;
}

// Where an upstream of that name is: the section, or nothing.
std::string_view section_with(const Node& root, std::string_view name) {
  for (const std::string_view section : {"upstreams", "mcpServers", "servers"}) {
    const Node* const found = root.find(section);
    if (found && found->find(name)) return section;
  }
  return {};
}

bool is_known(const Draft& draft, const std::string& name) {
  Faults ignored;
  const auto entries = upstream_entries(draft.root, draft.file, kSeparator, ignored);
  return !section_with(draft.root, name).empty() ||
         std::ranges::any_of(entries, [&](const auto& entry) { return entry.name == name; });
}

}  // namespace

int add_upstream(const EditOptions& options) {
  auto draft = open_draft(options);
  if (!draft) return edit_failure(draft.error());
  if (is_known(*draft, options.name)) {
    return edit_failure(
        {Code::invalid_request,
         fmt::format("there is already an upstream '{}' in {}; remove it first: patchbay "
                     "remove {}",
                     options.name, draft->file, options.name)});
  }
  const bool desktop =
      draft->json && draft->root.find("mcpServers") && !draft->root.find("upstreams");
  auto entry = entry_of(options, desktop);
  if (!entry) return edit_failure(entry.error());
  const std::string_view section = desktop ? "mcpServers" : "upstreams";
  const std::array<std::string_view, 2> path{section, options.name};
  auto text = draft->json ? config::set_json_member(draft->text, path, *entry)
                          : config::add_yaml_member(draft->text, section, options.name, *entry);
  if (!text) {
    return edit_failure(
        {text.error().code, fmt::format("{}: {}", draft->file, text.error().message)});
  }
  const int code = finish(*draft, *text, options, "added");
  if (code == kExitOk && !names_upstreams(draft->root)) {
    complain(
        "note: {} named no upstream, so the gateway offered its built-in ones ({}, …); name them "
        "to offer them too\n",
        draft->file, kSkillsName);
  }
  return code;
}

int remove_upstream(const EditOptions& options) {
  auto draft = open_draft(options);
  if (!draft) return edit_failure(draft.error());
  const std::string_view section = section_with(draft->root, options.name);
  if (section.empty()) {
    if (is_known(*draft, options.name)) {
      return edit_failure(
          {Code::invalid_request, fmt::format("'{}' is an item of a list in {}; edit it by hand",
                                              options.name, draft->file)});
    }
    Faults ignored;
    const auto entries = upstream_entries(draft->root, draft->file, kSeparator, ignored);
    std::vector<std::string_view> names;
    for (const auto& entry : entries) names.emplace_back(entry.name);
    const auto meant = config::closest(options.name, names);
    return edit_failure(
        {Code::not_found,
         fmt::format("there is no upstream '{}' in {}{}", options.name, draft->file,
                     meant.empty() ? "" : fmt::format("; did you mean \"{}\"?", meant))});
  }
  const std::array<std::string_view, 2> path{section, options.name};
  auto text = draft->json ? config::remove_json_member(draft->text, path)
                          : config::remove_yaml_member(draft->text, section, options.name);
  if (!text) {
    return edit_failure(
        {Code::invalid_request, fmt::format("{}: {}", draft->file, text.error().message)});
  }
  return finish(*draft, *text, options, "removed");
}

}  // namespace patchbay::app
