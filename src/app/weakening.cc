#include "app/weakening.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "core/glob.h"

namespace patchbay::app {
namespace {

using Names = std::vector<std::string>;
using Sentences = std::vector<std::string>;

bool has(const Names& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// Names in `next` that are not in `now`.
void find_added(std::string_view setting, const Names& now, const Names& next, Sentences& found) {
  for (const auto& name : next) {
    if (!has(now, name)) found.push_back(fmt::format("{}: '{}' would be added", setting, name));
  }
}

void find_auth(const policy::AuthSettings& now, const policy::AuthSettings& next,
               Sentences& found) {
  if (!now.on()) return;
  if (!next.on()) {
    found.emplace_back("auth: it is gone, so that callers would no longer be authenticated");
    return;
  }
  for (const auto& page : next.open) {
    if (std::ranges::find(now.open, page) == now.open.end()) {
      found.emplace_back("auth.open: another page would be open to everybody");
    }
  }
  for (const auto& scope : now.scopes) {
    if (!has(next.scopes, scope)) {
      found.push_back(fmt::format("auth.scopes: '{}' would not be required any more", scope));
    }
  }
  for (const auto& issuer : now.jwt) {
    const auto same = std::ranges::find(next.jwt, issuer.issuer, &policy::JwtSettings::issuer);
    if (same == next.jwt.end() || issuer.algorithms.empty()) continue;
    if (same->algorithms.empty()) {
      found.push_back(fmt::format("auth.jwt: {} could use every algorithm", issuer.issuer));
    }
    find_added("auth.jwt.algorithms", issuer.algorithms, same->algorithms, found);
  }
}

void find_tls(std::string_view section, const TlsSection& now, const TlsSection& next,
              Sentences& found) {
  if (next.clients() < now.clients()) {
    found.push_back(fmt::format(
        "{}.client_certificates: clients would not have to present what they must present now",
        section));
  }
  if (!now.crl.empty() && next.crl.empty()) {
    found.push_back(fmt::format("{}.crl: revoked certificates would be taken again", section));
  }
  if (next.common_name && !now.common_name) {
    found.push_back(fmt::format("{}.common_name: it would be turned on", section));
  }
}

void find_wire(const WireSection& now, const WireSection& next, Sentences& found) {
  if (next.per_message_auth < now.per_message_auth) {
    found.emplace_back("wire.per_message_auth: messages would state less about their caller");
  }
  if (next.replay_window_s < now.replay_window_s) {
    found.emplace_back("wire.replay_window_s: it would be shorter");
  }
  if (next.message_id_timeout < now.message_id_timeout) {
    found.emplace_back("wire.message_id_timeout: it would be shorter");
  }
  if (now.rate_limiting.enabled && !next.rate_limiting.enabled) {
    found.emplace_back("wire.rate_limiting: it would be turned off");
  }
  if (now.tls && next.tls) find_tls("wire.tls", *now.tls, *next.tls, found);
}

void find_http(const HttpSection& now, const HttpSection& next, Sentences& found) {
  find_added("http.hosts", now.hosts, next.hosts, found);
  find_added("http.origins", now.origins, next.origins, found);
  find_added("http.cors.origins", now.cors.origins, next.cors.origins, found);
  if (next.cors.credentials && !now.cors.credentials) {
    found.emplace_back("http.cors.credentials: it would be turned on");
  }
}

// True if one of `globs` matches everything that `glob` matches.
bool covered(const Names& globs, const std::string& glob) {
  return std::ranges::any_of(globs, [&](const std::string& one) {
    // `?` in one would match a `*` of the other, which stands for more than one character.
    return one == glob || (!one.contains('?') && matches_glob(one, glob));
  });
}

bool any_meets(const Names& globs, const std::string& glob) {
  return std::ranges::any_of(globs,
                             [&](const std::string& one) { return policy::globs_meet(one, glob); });
}

// All rules of some roles together. Conditional permissions are separate.
struct Grants {
  policy::Patterns tools;
  Names on_conditions;
  Names approve;
  policy::Patterns resources;
  policy::Patterns prompts;
  policy::Patterns methods;
};

void add(Names& to, const Names& from) { to.insert(to.end(), from.begin(), from.end()); }

void add(policy::Patterns& to, const policy::Patterns& from) {
  add(to.allow, from.allow);
  add(to.deny, from.deny);
}

Grants grants_of(const Configuration& of, const Names& roles) {
  Grants all;
  const auto& rules = of.rules->all();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (!has(roles, of.settings.rules[i].role)) continue;
    const policy::Rule& rule = rules[i];
    if (rule.when.empty()) {
      add(all.tools.allow, rule.tools.allow);
    } else {
      add(all.on_conditions, rule.tools.allow);
    }
    add(all.tools.deny, rule.tools.deny);
    add(all.approve, rule.approve);
    add(all.resources, rule.resources);
    add(all.prompts, rule.prompts);
    add(all.methods, rule.methods);
  }
  return all;
}

void find_wider(std::string_view what, const policy::Patterns& now, const policy::Patterns& next,
                Sentences& found) {
  for (const auto& glob : next.allow) {
    if (!covered(now.allow, glob)) {
      found.push_back(
          fmt::format("rules: unauthenticated callers could use the {} '{}'", what, glob));
    }
  }
  for (const auto& glob : now.deny) {
    if (!covered(next.deny, glob) && any_meets(next.allow, glob)) {
      found.push_back(fmt::format(
          "rules: the {} '{}' would not be denied to unauthenticated callers", what, glob));
    }
  }
}

// Rules about callers without credentials.
void find_anonymous(const Configuration& now, const Configuration& next, Sentences& found) {
  Names roles{std::string(policy::kLocalRole)};
  if (!now.settings.auth.on()) roles.emplace_back(policy::kAnyRole);
  const Grants before = grants_of(now, roles);
  const Grants after = grants_of(next, roles);
  find_wider("tools", before.tools, after.tools, found);
  for (const auto& glob : after.on_conditions) {
    if (covered(before.tools.allow, glob) || covered(before.on_conditions, glob)) continue;
    found.push_back(fmt::format("rules: unauthenticated callers could use the tools '{}'", glob));
  }
  find_wider("resources", before.resources, after.resources, found);
  find_wider("prompts", before.prompts, after.prompts, found);
  find_wider("methods", before.methods, after.methods, found);
}

// A tool that needs a person's approval in `now` and not in `next`, although the role may still use
// it.
void find_approvals(const Configuration& now, const Configuration& next, Sentences& found) {
  for (const auto& rule : now.settings.rules) {
    const Grants after = grants_of(next, {rule.role, std::string(policy::kAnyRole)});
    for (const auto& glob : rule.approve) {
      if (covered(after.approve, glob) || covered(after.tools.deny, glob)) continue;
      if (!any_meets(after.tools.allow, glob) && !any_meets(after.on_conditions, glob)) continue;
      found.push_back(
          fmt::format("rules: '{}' would need no approval for the role {}", glob, rule.role));
    }
  }
}

// The rules that apply to a caller with that role: which of `rules` they are.
std::vector<std::size_t> rules_of(const Configuration& of, const std::string& role) {
  std::vector<std::size_t> found;
  const auto& rules = of.settings.rules;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (rules[i].role == role || rules[i].role == policy::kAnyRole) found.push_back(i);
  }
  return found;
}

// Whether `next` has all conditions of `now`: one for each argument that has one now.
bool has_conditions_of(const policy::RuleSettings& now, const policy::RuleSettings& next) {
  return std::ranges::all_of(now.when, [&](const policy::ConditionSettings& one) {
    return std::ranges::find(next.when, one.pointer, &policy::ConditionSettings::pointer) !=
           next.when.end();
  });
}

// Tools that a role may use on conditions now, and then without one of them.
void find_conditions(const Configuration& now, const Configuration& next, const std::string& role,
                     Sentences& found) {
  const auto before = rules_of(now, role);
  for (const std::size_t i : rules_of(next, role)) {
    const auto& rule = next.settings.rules[i];
    for (const auto& glob : rule.allow) {
      const bool same = std::ranges::any_of(before, [&](std::size_t k) {
        const auto& one = now.settings.rules[k];
        return covered(one.allow, glob) && has_conditions_of(one, rule);
      });
      const bool conditional = std::ranges::any_of(before, [&](std::size_t k) {
        const auto& one = now.settings.rules[k];
        return !one.when.empty() && any_meets(one.allow, glob);
      });
      if (same || !conditional) continue;
      found.push_back(
          fmt::format("rules: '{}' would have fewer conditions for the role {}", glob, role));
    }
  }
}

void find_denied(std::string_view what, const std::string& role, const Names& now,
                 const policy::Patterns& next, Sentences& found) {
  for (const auto& glob : now) {
    if (covered(next.deny, glob) || !any_meets(next.allow, glob)) continue;
    found.push_back(
        fmt::format("rules: the {} '{}' would not be denied to the role {}", what, glob, role));
  }
}

// What a role is denied now, and what it may do on conditions. That it is given more is ordinary
// administration.
void find_restrictions(const Configuration& now, const Configuration& next, Sentences& found) {
  std::set<std::string> roles;
  for (const auto& rule : now.settings.rules) roles.insert(rule.role);
  roles.erase(std::string(policy::kLocalRole));  // See find_anonymous().
  if (!now.settings.auth.on()) roles.erase(std::string(policy::kAnyRole));
  for (const auto& role : roles) {
    const Grants before = grants_of(now, {role, std::string(policy::kAnyRole)});
    Grants after = grants_of(next, {role, std::string(policy::kAnyRole)});
    add(after.tools.allow, after.on_conditions);
    find_denied("tools", role, before.tools.deny, after.tools, found);
    find_denied("resources", role, before.resources.deny, after.resources, found);
    find_denied("prompts", role, before.prompts.deny, after.prompts, found);
    find_denied("methods", role, before.methods.deny, after.methods, found);
    for (const auto& glob : after.methods.allow) {
      if (before.methods.allow.empty() || covered(before.methods.allow, glob)) continue;
      found.push_back(fmt::format("rules: the role {} could use the methods '{}'", role, glob));
    }
    find_conditions(now, next, role, found);
  }
}

void find_upstreams(const Configuration& now, const Configuration& next, Sentences& found) {
  if (now.names_upstreams && !next.names_upstreams) {
    found.emplace_back("upstreams: none is named, so that the default ones would be started");
  }
  for (const auto& one : now.upstreams) {
    const auto same = std::ranges::find(next.upstreams, one.name, &UpstreamPlan::name);
    if (same == next.upstreams.end()) continue;
    const UpstreamProtection& before = one.protection;
    const UpstreamProtection& after = same->protection;
    const auto add_sentence = [&](std::string_view key, std::string_view why) {
      found.push_back(fmt::format("{}.{}: {}", one.path, key, why));
    };
    if (before.sandbox && !after.sandbox) {
      add_sentence("sandbox", "the program would run without it");
    } else if (after.network && !before.network) {
      add_sentence("sandbox.network", "the program could use the machine's network");
    }
    if (!before.user.empty() && after.user.empty() && !after.sandbox) {
      add_sentence("user", "the program would run as the gateway's own user");
    }
    if (after.separation < before.separation) {
      add_sentence("isolation", "callers would share more than now");
    }
    for (const auto& glob : one.settings.tools.deny) {
      if (covered(same->settings.tools.deny, glob)) continue;
      if (!any_meets(same->settings.tools.allow, glob)) continue;
      add_sentence("tools.deny", fmt::format("'{}' would be offered", glob));
    }
  }
}

void find_rules(const Configuration& now, const Configuration& next, Sentences& found) {
  if (!now.rules) return;
  if (!next.rules) {
    found.emplace_back("rules: they are gone, so that everybody could use everything");
    return;
  }
  find_anonymous(now, next, found);
  find_approvals(now, next, found);
  find_restrictions(now, next, found);
}

int strictness(policy::PinMode mode) {
  if (mode == policy::PinMode::block) return 2;
  return mode == policy::PinMode::warn ? 1 : 0;
}

bool elicits(const Settings& of) { return of.approvals.elicit.value_or(!of.auth.on()); }

void find_checks(const Settings& now, const Settings& next, Sentences& found) {
  if (strictness(next.pins) < strictness(now.pins)) {
    found.emplace_back("pins: changed tools would be treated less strictly");
  }
  if (next.validation.arguments < now.validation.arguments) {
    found.emplace_back("validation.arguments: it would be less strict");
  }
  if (next.validation.results < now.validation.results) {
    found.emplace_back("validation.results: it would be less strict");
  }
  if (next.validation.unusable_schemas > now.validation.unusable_schemas) {
    found.emplace_back("validation.unusable_schemas: unchecked tools could be called");
  }
  if (elicits(next) && !elicits(now)) {
    found.emplace_back("approvals.elicit: clients could approve the calls of their own users");
  }
  if (now.sign_in.require_credentials && !next.sign_in.require_credentials) {
    found.emplace_back("sign_in.require_credentials: links would work for everybody");
  }
  if (next.console.edit && !now.console.edit) {
    found.emplace_back("console.edit: admins could change the configuration over the network");
  }
  if (now.stdio.allowed_commands && !next.stdio.allowed_commands) {
    found.emplace_back("stdio.allowed_commands: any program could be run");
  }
  if (now.audit.on() && !next.audit.on()) {
    found.emplace_back("audit: calls would not be recorded any more");
  } else if (now.audit.required && !next.audit.required) {
    found.emplace_back("audit.required: calls would go on without a record");
  }
  if (!now.limits.rates.empty() && next.limits.rates.empty()) {
    found.emplace_back("limits.rates: they are gone");
  }
}

}  // namespace

std::vector<std::string> weakenings(const Configuration& now, const Configuration& next) {
  Sentences found;
  find_auth(now.settings.auth, next.settings.auth, found);
  find_rules(now, next, found);
  find_http(now.settings.http, next.settings.http, found);
  find_added("proxies.from", now.settings.proxies.from, next.settings.proxies.from, found);
  if (now.settings.tls && next.settings.tls) {
    find_tls("tls", *now.settings.tls, *next.settings.tls, found);
  }
  find_wire(now.settings.wire.value_or(WireSection()), next.settings.wire.value_or(WireSection()),
            found);
  find_upstreams(now, next, found);
  find_checks(now.settings, next.settings, found);
  return found;
}

}  // namespace patchbay::app
