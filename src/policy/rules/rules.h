// Rules state which callers may use what: each gives a role patterns of tools, prompts, resources
// and methods. A caller does not see items that no rule allows, or that one of its rules denies.
//
// Compiled once per configuration; never changed after that, so threads may share them.
#pragma once

#include <bitset>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/read_value.h"
#include "core/principal.h"
#include "policy/rules/condition.h"
#include "policy/rules/pattern.h"

namespace patchbay::policy {

// Reserved roles: that of every caller, and that of callers without authentication.
inline constexpr std::string_view kAnyRole = "any";
inline constexpr std::string_view kLocalRole = "local";
// The role of callers that may approve calls.
inline constexpr std::string_view kAdminRole = "admin";

struct RuleSettings {
  std::string role;
  std::vector<std::string> scopes;
  std::vector<std::string> allow;
  std::vector<std::string> deny;
  std::vector<std::string> approve;
  config::Node resources;
  config::Node prompts;
  config::Node methods;
  std::vector<ConditionSettings> when;
};

struct Rule {
  std::string name;  // In audit records: its index and its role.
  Patterns tools;
  std::vector<std::string> approve;
  Patterns resources;
  Patterns prompts;
  Patterns methods;
  std::vector<Condition> when;
};

class Rules {
 public:
  static constexpr std::size_t kMost = 512;
  // The rules that apply to a caller. Callers with the same set see the same things.
  using Set = std::bitset<kMost>;

  // `node` is the section that `settings` were read from, for line numbers; `version` changes with
  // the section.
  Rules(const std::vector<RuleSettings>& settings, const config::Node& node, std::string version,
        const config::Location& at);

  Set about(const Principal& caller) const;

  // The rules that apply to a caller that has only this role.
  Set about_role(std::string_view role) const;

  // True if the caller has that role, directly or by one of its scopes; `any` and `local` as in
  // rules.
  bool has_role(const Principal& caller, std::string_view role) const;

  // True if there is a rule for callers without authentication.
  bool mentions_local() const { return roles_.contains(kAnyRole) || roles_.contains(kLocalRole); }

  const std::vector<Rule>& all() const { return rules_; }
  // Every role that a rule is for.
  std::vector<std::string> roles() const;
  const std::string& version() const { return version_; }

 private:
  void add(const RuleSettings& settings, const config::Node& node, const config::Location& at);

  std::vector<Rule> rules_;
  std::map<std::string, Set, std::less<>> roles_;
  std::map<std::string, std::set<std::string>, std::less<>> roles_of_scope_;
  std::map<std::string, Set, std::less<>> scopes_;
  const std::string version_;
};

}  // namespace patchbay::policy

namespace patchbay {

template <>
const config::Fields& config::fields<policy::RuleSettings>();

}  // namespace patchbay
