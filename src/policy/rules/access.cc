#include "policy/rules/access.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/uri.h"

namespace patchbay::policy {
namespace {

constexpr std::size_t kMostValues = 200'000;  // In the arguments of a conditional call.
constexpr std::size_t kMostEncodings = 4;     // Nested percent encodings of a URI.

// Both spellings that people use.
struct Names {
  Names(std::string_view upstream, std::string_view item)
      : dotted(fmt::format("{}.{}", upstream, item)),
        listed(fmt::format("{}__{}", upstream, item)) {}

  bool fit(const std::vector<std::string>& globs) const {
    return fits_any(globs, {dotted, listed});
  }

  std::string dotted;
  std::string listed;
};

// The prefix by which the catalog distinguishes URIs of two upstreams.
std::string apart(std::string_view upstream, std::string_view uri) {
  return fmt::format("{}+{}", upstream, uri);
}

// The URI as a server may read it that decodes it once or several times. Empty if it is encoded
// more often than is plausible.
std::vector<std::string> readings(std::string_view uri) {
  std::vector<std::string> all{std::string(uri)};
  for (;;) {
    std::string decoded = json::decode_percents_leniently(all.back());
    if (decoded == all.back()) return all;
    if (all.size() > kMostEncodings) return {};
    all.push_back(std::move(decoded));
  }
}

// True if the path leaves the folder that it begins with.
bool climbs(std::string_view text) {
  std::string uri(text);
  // Many programs drop these before they read it.
  std::erase_if(uri, [](char c) { return c == '\t' || c == '\r' || c == '\n'; });
  for (std::size_t at = uri.find(".."); at != std::string::npos; at = uri.find("..", at + 1)) {
    const auto divides = [](char c) { return c == '/' || c == '\\' || c == ':'; };
    const bool begins = at == 0 || divides(uri[at - 1]);
    const std::size_t end = at + 2;
    const bool ends = end == uri.size() || divides(uri[end]) || uri[end] == '?' || uri[end] == '#';
    if (begins && ends) return true;
  }
  return false;
}

// An expression of a template can expand to anything.
std::string as_glob(std::string_view uri_template) {
  std::string glob;
  while (!uri_template.empty()) {
    const auto open = uri_template.find('{');
    glob += uri_template.substr(0, open);
    const auto close =
        open == std::string_view::npos ? std::string_view::npos : uri_template.find('}', open);
    if (close == std::string_view::npos) break;
    glob += '*';
    uri_template.remove_prefix(close + 1);
  }
  return glob;
}

}  // namespace

CallConditions::Verdict CallConditions::evaluate(std::string_view arguments) const {
  Verdict verdict;
  const auto index = json::Index::of(arguments, kMostValues);
  if (!index) {
    verdict.refused = index.error().message;
    return verdict;
  }
  for (const auto& alternative : any) {
    const auto broken =
        std::ranges::find_if(alternative.rule->when,
                             [&](const Condition& condition) { return !condition.holds(*index); });
    if (broken == alternative.rule->when.end()) {
      if (!verdict.allowed || alternative.approve) verdict.rule = alternative.rule->name;
      verdict.allowed = true;
      verdict.approve |= alternative.approve;
    } else if (verdict.refused.empty()) {
      if (!verdict.allowed) verdict.rule = alternative.rule->name;
      verdict.refused = fmt::format("{} is not as it must be", broken->pointer());
    }
  }
  return verdict;
}

Access::Access(std::shared_ptr<const Rules> rules, const Rules::Set& about)
    : rules_(std::move(rules)) {
  for (std::size_t i = 0; i < rules_->all().size(); ++i) {
    if (about.test(i)) about_.push_back(&rules_->all()[i]);
  }
}

ToolAccess Access::tool(std::string_view upstream, std::string_view name) const {
  if (!has_method("tools/call")) return {};
  const Names names(upstream, name);
  CallConditions conditions;
  const Rule* open = nullptr;  // Allows the tool without conditions.
  for (const Rule* const rule : about_) {
    if (names.fit(rule->tools.deny)) return {};
    const bool approve = names.fit(rule->approve);
    if (!approve && !names.fit(rule->tools.allow)) continue;
    conditions.any.push_back({approve, rule});
    conditions.may_need_approval |= approve;
    if (!open && !approve && rule->when.empty()) open = rule;
  }
  if (conditions.any.empty()) return {};
  if (open && !conditions.may_need_approval) return {true, open->name};
  return {true, conditions.any.front().rule->name,
          std::make_shared<const CallConditions>(std::move(conditions))};
}

bool Access::has_prompt(std::string_view upstream, std::string_view prompt) const {
  if (!has_method("prompts/get")) return false;
  const Names names(upstream, prompt);
  const auto denies = [&](const Rule* rule) { return names.fit(rule->prompts.deny); };
  const auto allows = [&](const Rule* rule) { return names.fit(rule->prompts.allow); };
  return std::ranges::any_of(about_, allows) && std::ranges::none_of(about_, denies);
}

// A pattern that denies applies to every spelling.
bool Access::denies_resource(std::string_view upstream, std::string_view uri) const {
  const std::string normal = json::normal_uri(uri);
  const std::string prefixed = apart(upstream, uri);
  const std::string normal_prefixed = apart(upstream, normal);
  return std::ranges::any_of(about_, [&](const Rule* rule) {
    return fits_any(rule->resources.deny, {uri, prefixed, normal, normal_prefixed});
  });
}

// A URI must be allowed in every reading: one that leaves its folder, or has escapes that a pattern
// does not match, would mean another resource to its upstream than to the rules.
bool Access::has_resource(std::string_view upstream, std::string_view uri) const {
  if (!has_method("resources/read")) return false;
  const auto spellings = readings(uri);
  for (const auto& reading : spellings) {
    const std::string prefixed = apart(upstream, reading);
    if (denies_resource(upstream, reading)) return false;
    const auto allows = [&](const Rule* rule) {
      const auto& globs = rule->resources.allow;
      // A rule that allows everything allows every spelling.
      if (std::ranges::find(globs, "*") != globs.end()) return true;
      return !climbs(reading) && fits_any(globs, {reading, prefixed});
    };
    if (std::ranges::none_of(about_, allows)) return false;
  }
  return !spellings.empty();
}

bool Access::has_template(std::string_view upstream, std::string_view uri_template) const {
  if (!has_method("resources/read")) return false;
  if (denies_resource(upstream, uri_template)) return false;
  const std::string made = as_glob(uri_template);
  const std::string made_apart = apart(upstream, made);
  return std::ranges::any_of(about_, [&](const Rule* rule) {
    return std::ranges::any_of(rule->resources.allow, [&](const std::string& glob) {
      return globs_meet(glob, made) || globs_meet(glob, made_apart);
    });
  });
}

bool Access::has_method(std::string_view method) const {
  if (about_.empty()) return true;  // There is nothing to use the method on.
  const auto denies = [&](const Rule* rule) { return fits_any(rule->methods.deny, {method}); };
  const auto allows = [&](const Rule* rule) { return fits_any(rule->methods.allow, {method}); };
  return std::ranges::any_of(about_, allows) && std::ranges::none_of(about_, denies);
}

bool Access::reaches(std::string_view upstream) const {
  const std::string dotted = fmt::format("{}.*", upstream);
  const std::string listed = fmt::format("{}__*", upstream);
  const auto meets = [&](const std::string& glob) {
    return globs_meet(glob, dotted) || globs_meet(glob, listed);
  };
  return std::ranges::any_of(about_, [&](const Rule* rule) {
    return std::ranges::any_of(rule->tools.allow, meets) ||
           std::ranges::any_of(rule->approve, meets);
  });
}

}  // namespace patchbay::policy
