#include "policy/rules/rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"

namespace patchbay::policy {
namespace {

int line_of(const config::Node& node, std::string_view key) {
  const config::Node* const given = node.find(key);
  return given ? given->line : node.line;
}

// A pattern that says nothing of the upstream would silently fit nothing.
void check_names(const std::vector<std::string>& globs, int line, const config::Place& at) {
  for (const auto& glob : globs) {
    if (glob == "*" || glob.contains('.') || glob.contains("__")) continue;
    at.fault(line, fmt::format("'{}' names no upstream: write '{}.*' for all of an upstream, or "
                               "'*.{}' for a name in any",
                               glob, glob, glob));
  }
}

// The method that uses an item comes with those that list it; whoever says nothing gets all.
Patterns read_methods(const config::Node& node, const config::Place& at) {
  Patterns methods = read_patterns(node, at);
  const bool only_denied = node.kind == config::Kind::map && !node.find("allow");
  if (node.kind == config::Kind::null || only_denied) methods.allow = {"*"};
  return methods;
}

// The pattern with scheme and host in lower case, as URIs are judged.
std::string lower_host(const std::string& glob) {
  const auto colon = glob.find(':');
  if (colon == std::string::npos) return glob;
  const bool host = std::string_view(glob).substr(colon).starts_with("://");
  const auto end = host ? std::min(glob.find('/', colon + 3), glob.size()) : colon;
  return ascii_lower(std::string_view(glob).substr(0, end)) + glob.substr(end);
}

Patterns read_resources(const config::Node& node, const config::Place& at) {
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
             std::string version, const config::Place& at)
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

void Rules::add(const RuleSettings& settings, const config::Node& node, const config::Place& at) {
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
    at.member("when").fault(line_of(node, "when"), "is about calls, but the rule allows none");
  }
  const bool nobody = settings.role == kAnyRole || settings.role == kLocalRole;
  if (nobody && !settings.scopes.empty()) {
    at.member("scopes").fault(line_of(node, "scopes"),
                              fmt::format("'{}' cannot be given by a scope", settings.role));
  }
  roles_[settings.role].set(rules_.size());
  for (const auto& scope : settings.scopes) roles_of_scope_[scope].insert(settings.role);
  rules_.push_back(std::move(rule));
}

// A role of that name in a token is not what the two special roles are about.
Rules::Set Rules::about(const Principal& who) const {
  Set found;
  const auto add = [&found](const auto& from, std::string_view key) {
    if (const auto known = from.find(key); known != from.end()) found |= known->second;
  };
  add(roles_, kAnyRole);
  if (who.auth_method == AuthMethod::none) add(roles_, kLocalRole);
  for (const auto& role : who.roles) {
    if (role != kLocalRole && role != kAnyRole) add(roles_, role);
  }
  for (const auto& scope : who.scopes) add(scopes_, scope);
  return found;
}

bool Rules::has_role(const Principal& who, std::string_view role) const {
  if (role == kAnyRole) return true;
  if (role == kLocalRole) return who.auth_method == AuthMethod::none;
  const auto gives = [&](const std::string& scope) {
    const auto known = roles_of_scope_.find(scope);
    return known != roles_of_scope_.end() && known->second.contains(std::string(role));
  };
  return std::ranges::find(who.roles, role) != who.roles.end() ||
         std::ranges::any_of(who.scopes, gives);
}

}  // namespace patchbay::policy
