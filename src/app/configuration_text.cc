#include "app/configuration_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "app/client_file.h"
#include "app/configuration.h"
#include "app/upstream_entries.h"
#include "config/fields.h"
#include "config/load.h"
#include "core/text.h"

namespace patchbay::app {
namespace {

using config::Kind;
using config::Node;
using frontends::SettingLine;
using frontends::TextFault;

constexpr std::array<std::string_view, 8> kSecretNames{"token",      "secret",       "password",
                                                       "passphrase", "credential",   "api_key",
                                                       "apikey",     "authorization"};
// Sections whose values come from and go to others.
constexpr std::array<std::string_view, 4> kSecretSections{"env", "headers", "properties", "query"};
// Names that only look so.
constexpr std::array<std::string_view, 5> kPlainEnds{"_file", "_url", "_timeout", "_endpoint",
                                                     "tokens_per_minute"};
// Keys of upstreams that name files: what is in them decides whether the entry is valid.
constexpr std::array<std::string_view, 4> kFileKeys{"ca", "cert", "key", "document"};

bool is_interpolated(std::string_view text) { return text.find("${") != std::string_view::npos; }

bool names_secret(std::string_view text) {
  const std::string lower = ascii_lower(text);
  return std::ranges::any_of(
      kSecretNames, [&](std::string_view name) { return lower.find(name) != std::string::npos; });
}

bool is_empty_or_flag(std::string_view value) {
  return value.empty() || value == "true" || value == "false";
}

// A number or a time: no secret, unless its key says that it is one.
bool is_quantity(std::string_view value) {
  constexpr std::size_t kMostUnit = 3;
  const std::size_t digits = std::min(value.find_first_not_of("0123456789."), value.size());
  return digits > 0 && value.size() - digits <= kMostUnit;
}

bool has_user(std::string_view value) {
  const std::size_t scheme = value.find("://");
  if (scheme == std::string_view::npos) return false;
  const std::string_view rest = value.substr(scheme + 3);
  return rest.substr(0, rest.find('/')).find('@') != std::string_view::npos;
}

// The argument of a program after an option such as --token.
bool follows_secret_option(const std::vector<ScalarAt>& before, std::string_view path) {
  if (before.empty() || !path.ends_with(']')) return false;
  const std::string_view option = before.back().node->text;
  const auto list = [](std::string_view element) { return element.substr(0, element.rfind('[')); };
  return list(before.back().path) == list(path) && option.starts_with('-') &&
         !option.contains('=') && names_secret(option);
}

void add_scalars(const Node& node, const std::string& path, std::vector<ScalarAt>& all) {
  if (node.kind == Kind::scalar) {
    const bool secret = may_be_secret(path, node.text) ||
                        (!is_interpolated(node.text) && follows_secret_option(all, path));
    all.push_back({path, &node, secret});
  }
  for (const auto& [key, line, value] : node.members) {
    add_scalars(value, config::member_path(path, key), all);
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    add_scalars(node.items[i], config::element_path(path, i), all);
  }
}

// Replaces `secret` wherever it is within line number `line`; false if it is not there.
bool mask_in_line(std::string& text, int line, const std::string& secret) {
  std::size_t from = 0;
  for (int i = 1; i < line; ++i) {
    from = text.find('\n', from);
    if (from == std::string::npos) return false;
    ++from;
  }
  const std::size_t end = std::min(text.find('\n', from), text.size());
  const std::string_view whole = std::string_view(text).substr(from, end - from);
  std::string masked;
  std::size_t done = 0;
  for (auto at = whole.find(secret); at != std::string_view::npos; at = whole.find(secret, done)) {
    masked += whole.substr(done, at - done);
    masked += kMask;
    done = at + secret.size();
  }
  if (done == 0) return false;
  masked += whole.substr(done);
  text.replace(from, end - from, masked);
  return true;
}

// The leaves of the settings that no file mentions, with their defaults.
void add_defaults(const config::Shape& shape, const std::string& path,
                  const std::set<std::string>& given, std::vector<SettingLine>& lines) {
  for (const auto& field : shape.fields) {
    const std::string at = config::member_path(path, field.name);
    if (field.of.form == config::Form::section) {
      add_defaults(field.of.section, at, given, lines);
      continue;
    }
    const auto next = given.lower_bound(at);
    const bool is_given =
        next != given.end() && next->starts_with(at) &&
        (next->size() == at.size() || (*next)[at.size()] == '.' || (*next)[at.size()] == '[');
    if (is_given || field.default_text.empty()) continue;
    lines.push_back({.path = at, .value = field.default_text, .source = "default"});
  }
}

bool names_files(const Node& entry) {
  return std::ranges::any_of(scalars_of(entry), [](const ScalarAt& one) {
    const std::string_view key = std::string_view(one.path).substr(one.path.rfind('.') + 1);
    return key.ends_with("_file") || std::ranges::find(kFileKeys, key) != kFileKeys.end();
  });
}

void check_upstream(UpstreamEntry& entry, const std::string& name, config::Faults& faults) {
  const UpstreamKind* const kind = find_upstream_kind(entry.kind);
  if (!kind) {
    faults.push_back({name, entry.node.line, entry.path + ".kind",
                      fmt::format("there is no kind '{}'", entry.kind)});
    return;
  }
  const config::Location at{name, entry.path, faults};
  config::Faults notes;
  config::apply_aliases(kind->fields(), entry.node, at, notes);
  const config::Fields& common = config::fields<gateway::UpstreamSettings>();
  config::apply_aliases(common, entry.node, at, notes);
  if (names_files(entry.node)) return;
  Node own = entry.node;
  Node shared = entry.node;
  const auto is_common = [&](const config::Member& member) {
    return std::ranges::find(common, member.key, &config::Field::name) != common.end();
  };
  std::erase_if(own.members, is_common);
  std::erase_if(shared.members, [&](const auto& member) { return !is_common(member); });
  (void)config::read<gateway::UpstreamSettings>(shared, name, entry.path, faults);
  (void)kind->read(entry.name, own, name, entry.path, faults);
}

}  // namespace

bool may_be_secret(std::string_view path, std::string_view value) {
  if (is_interpolated(value) || is_empty_or_flag(value)) return false;
  if (has_user(value)) return true;
  const std::string_view key = path.substr(path.rfind('.') + 1);
  if (is_quantity(value) && key.starts_with("max_")) return false;
  const bool plain =
      std::ranges::any_of(kPlainEnds, [&](std::string_view end) { return key.ends_with(end); });
  if (!plain && names_secret(key)) return true;
  if (path.starts_with("cluster.keys[")) return true;
  // An argument such as --token=…
  if (value.find('=') != std::string_view::npos && names_secret(value)) return true;
  return std::ranges::any_of(kSecretSections, [&](std::string_view section) {
    return path.find(fmt::format(".{}.", section)) != std::string_view::npos ||
           path.find(fmt::format(".{}[", section)) != std::string_view::npos;
  });
}

std::vector<ScalarAt> scalars_of(const Node& root) {
  std::vector<ScalarAt> all;
  add_scalars(root, "", all);
  return all;
}

std::optional<std::string> without_secrets(std::string text, const std::vector<ScalarAt>& scalars) {
  // From the last line to the first one, and each value once in a line.
  std::set<std::pair<int, std::string_view>> masked;
  for (auto at = scalars.rbegin(); at != scalars.rend(); ++at) {
    const Node& node = *at->node;
    if (!at->secret || !masked.emplace(node.line, node.text).second) continue;
    if (!mask_in_line(text, node.line, node.text)) return std::nullopt;
  }
  return text;
}

std::vector<SettingLine> effective_settings(const Node& root) {
  std::vector<SettingLine> lines;
  std::set<std::string> given;
  for (const auto& [path, node, secret] : scalars_of(root)) {
    given.insert(path);
    lines.push_back({.path = path,
                     .value = secret ? "" : node->text,
                     .source = is_interpolated(node->text) ? "environment" : "file",
                     .line = node->line,
                     .secret = secret});
  }
  static const config::Shape kShape = configuration_shape();
  add_defaults(kShape, "", given, lines);
  return lines;
}

std::vector<TextFault> check_text(std::string_view text, const std::string& name) {
  config::Faults faults;
  config::Faults notes;
  Node root = config::parse_text(text, name, faults);
  if (root.kind == Kind::null) root.kind = Kind::map;
  // Values that are not known here: of variables and files, and masks.
  std::set<std::string> unknown;
  for (const auto& [path, node, secret] : scalars_of(root)) {
    if (is_interpolated(node->text) || node->text == kMask) unknown.insert(path);
  }
  translate_clients(root, name, faults, notes);
  config::apply_aliases(config::fields<Settings>(), root, {name, "", faults}, notes);
  const auto settings = config::read<Settings>(root, name, "", faults, client_sections());
  for (auto& entry : upstream_entries(root, name, settings.names.separator, faults)) {
    check_upstream(entry, name, faults);
  }
  std::erase_if(faults, [&](const config::Fault& one) { return unknown.contains(one.path); });
  config::sort_by_line(faults);
  std::vector<TextFault> found;
  for (auto& fault : faults) {
    found.push_back({fault.line, std::move(fault.path), std::move(fault.message)});
  }
  return found;
}

}  // namespace patchbay::app
