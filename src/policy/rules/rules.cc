#include "policy/rules/rules.h"

#include "config/fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"

namespace patchbay::policy {
namespace {

int line_of(const config::Node& node, std::string_view key) {
  const config::Node* const given = node.find(key);
  return given ? given->line : node.line;
}

// A pattern without an upstream would silently match nothing.
void check_names(const std::vector<std::string>& globs, int line, const config::Location& at) {
  for (const auto& glob : globs) {
    if (glob == "*" || glob.contains('.') || glob.contains("__")) continue;
    at.fault(line, fmt::format("'{}' names no upstream: write '{}.*' for all of an upstream, or "
                               "'*.{}' for a name in any",
                               glob, glob, glob));
  }
}

// The method that uses an item implies those that list it. An empty list allows all.
Patterns read_methods(const config::Node& node, const config::Location& at) {
  Patterns methods = read_patterns(node, at);
  const bool only_denied = node.kind == config::Kind::map && !node.find("allow");
  if (node.kind == config::Kind::null || only_denied) methods.allow = {"*"};
  return methods;
}

// The pattern with scheme and host in lower case, like the URIs it is compared with.
std::string lower_host(const std::string& glob) {
  const auto colon = glob.find(':');
  if (colon == std::string::npos) return glob;
  const bool host = std::string_view(glob).substr(colon).starts_with("://");
  const auto end = host ? std::min(glob.find('/', colon + 3), glob.size()) : colon;
  return ascii_lower(std::string_view(glob).substr(0, end)) + glob.substr(end);
}

Patterns read_resources(const config::Node& node, const config::Location& at) {
  Patterns resources = read_patterns(node, at);
  const std::size_t written = resources.deny.size();
  for (std::size_t i = 0; i < written; ++i) {
    std::string lower = lower_host(resources.deny[i]);
    if (lower != resources.deny[i]) resources.deny.push_back(std::move(lower));
  }
  return resources;
}

const config::Node& element(const config::Node& list, std::size_t index) {
  static const config::Node kNone;
  return index < list.items.size() ? list.items[index] : kNone;
}

}  // namespace

Rules::Rules(const std::vector<RuleSettings>& settings, const config::Node& node,
             std::string version, const config::Location& at)
    : version_(std::move(version)) {
  if (settings.size() > kMost) {
    at.fault(node.line, fmt::format("there are more than {} rules", kMost));
    return;
  }
  for (std::size_t i = 0; i < settings.size(); ++i) {
    add(settings[i], element(node, i), at.element(i));
  }
  // A scope gives a role, and with it every rule of that role.
  for (const auto& [scope, roles] : roles_of_scope_) {
    for (const auto& role : roles) scopes_[scope] |= roles_.at(role);
  }
}

void Rules::add(const RuleSettings& settings, const config::Node& node,
                const config::Location& at) {
  Rule rule;
  rule.name = fmt::format("rules[{}] {}", rules_.size(), settings.role);
  rule.tools = {settings.allow, settings.deny};
  rule.approve = settings.approve;
  rule.resources = read_resources(settings.resources, at.member("resources"));
  rule.prompts = read_patterns(settings.prompts, at.member("prompts"));
  rule.methods = read_methods(settings.methods, at.member("methods"));
  check_names(settings.allow, line_of(node, "allow"), at.member("allow"));
  check_names(settings.deny, line_of(node, "deny"), at.member("deny"));
  check_names(settings.approve, line_of(node, "approve"), at.member("approve"));
  check_names(rule.prompts.allow, line_of(node, "prompts"), at.member("prompts"));
  check_names(rule.prompts.deny, line_of(node, "prompts"), at.member("prompts"));
  const config::Node* const when = node.find("when");
  for (std::size_t i = 0; i < settings.when.size(); ++i) {
    const int line = when ? element(*when, i).line : node.line;
    rule.when.emplace_back(settings.when[i], line, at.member("when").element(i));
  }
  if (!settings.when.empty() && settings.allow.empty() && settings.approve.empty()) {
    at.member("when").fault(line_of(node, "when"),
                            "has conditions for calls, but the rule allows none");
  }
  const bool nobody = settings.role == kAnyRole || settings.role == kLocalRole;
  if (nobody && !settings.scopes.empty()) {
    at.member("scopes").fault(line_of(node, "scopes"),
                              fmt::format("a scope cannot grant '{}'", settings.role));
  }
  roles_[settings.role].set(rules_.size());
  for (const auto& scope : settings.scopes) roles_of_scope_[scope].insert(settings.role);
  rules_.push_back(std::move(rule));
}

// A role of that name in a token does not select the two special roles.
Rules::Set Rules::about(const Principal& caller) const {
  Set found;
  const auto add = [&found](const auto& from, std::string_view key) {
    if (const auto known = from.find(key); known != from.end()) found |= known->second;
  };
  add(roles_, kAnyRole);
  if (caller.auth_method == AuthMethod::none) add(roles_, kLocalRole);
  for (const auto& role : caller.roles) {
    if (role != kLocalRole && role != kAnyRole) add(roles_, role);
  }
  for (const auto& scope : caller.scopes) add(scopes_, scope);
  return found;
}

Rules::Set Rules::about_role(std::string_view role) const {
  Principal caller;
  caller.auth_method = role == kLocalRole ? AuthMethod::none : AuthMethod::token;
  caller.roles = {std::string(role)};
  return about(caller);
}

std::vector<std::string> Rules::roles() const {
  std::vector<std::string> names;
  for (const auto& [name, set] : roles_) names.push_back(name);
  return names;
}

bool Rules::has_role(const Principal& caller, std::string_view role) const {
  if (role == kAnyRole) return true;
  if (role == kLocalRole) return caller.auth_method == AuthMethod::none;
  const auto grants = [&](const std::string& scope) {
    const auto known = roles_of_scope_.find(scope);
    return known != roles_of_scope_.end() && known->second.contains(std::string(role));
  };
  return std::ranges::find(caller.roles, role) != caller.roles.end() ||
         std::ranges::any_of(caller.scopes, grants);
}

}  // namespace patchbay::policy

namespace patchbay {

template <>
const config::Fields& config::fields<policy::RuleSettings>() {
  static const Fields kFields = fields_of<policy::RuleSettings>({
      {"role", &policy::RuleSettings::role,
       "Role to which the rule applies. `any`: every caller. `local`: unauthenticated callers.",
       Required{}},
      {"scopes", &policy::RuleSettings::scopes, "Token scopes that grant the role."},
      {"allow", &policy::RuleSettings::allow, "Patterns of allowed tools, such as files.read_*."},
      {"deny", &policy::RuleSettings::deny,
       "Patterns of denied tools. They take precedence over every rule."},
      {"approve", &policy::RuleSettings::approve,
       "Patterns of tools whose calls a person must approve."},
      {"resources", &policy::RuleSettings::resources,
       "Patterns of resource URIs: a list of allowed ones, or a map with allow and deny."},
      {"prompts", &policy::RuleSettings::prompts,
       "Patterns of prompts, as upstream.prompt, in the same format."},
      {"methods", &policy::RuleSettings::methods,
       "Patterns of MCP methods, in the same format. Absent: all methods."},
      {"when", &policy::RuleSettings::when,
       "Conditions on the arguments of a call under which `allow` and `approve` apply."},
  });
  return kFields;
}

}  // namespace patchbay
