#include "policy/rules/condition.h"

#include "config/fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/to_json.h"
#include "json/canonical.h"
#include "json/decimal.h"
#include "json/read.h"

namespace patchbay::policy {
namespace {

constexpr std::uint64_t kMostSteps = 20'000'000;  // Of the regular expression, per argument.

std::optional<std::vector<std::string>> split_pointer(std::string_view pointer) {
  std::vector<std::string> tokens;
  if (pointer.empty() || pointer.front() != '/') return std::nullopt;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    auto token = json::unescape_pointer_token(pointer.substr(0, pointer.find('/')));
    if (!token) return std::nullopt;
    tokens.push_back(*std::move(token));
    pointer.remove_prefix(std::min(pointer.find('/'), pointer.size()));
  }
  return tokens;
}

// The raw number of `node`; if it is not a number: empty, and a fault is added.
std::string number(const config::Node& node, int line, const config::Location& at) {
  if (node.kind == config::Kind::null) return "";
  std::string raw = config::to_json(node);
  if (json::type_of(raw) == json::Type::number) return raw;
  at.fault(line, "must be a number");
  return "";
}

// A canonical text of the value, so that equal values compare equal.
std::string value(const config::Node& node, int line, const config::Location& at) {
  auto made = json::canonical(config::to_json(node));
  if (made) return *std::move(made);
  at.fault(line, made.error().message);
  return "";
}

}  // namespace

Condition::Condition(const ConditionSettings& settings, int line, const config::Location& at)
    : pointer_(settings.pointer), absent_(settings.absent) {
  if (auto tokens = split_pointer(pointer_)) {
    tokens_ = *std::move(tokens);
  } else if (!pointer_.empty()) {
    at.member("pointer").fault(line, "a JSON pointer begins with /, such as /path");
  }
  const bool equals = settings.equals.kind != config::Kind::null;
  if (equals) in_.emplace({value(settings.equals, line, at.member("equals"))});
  if (equals && !settings.in.empty()) at.fault(line, "has both equals and in");
  if (!equals && !settings.in.empty()) {
    in_.emplace();
    for (const auto& one : settings.in) in_->push_back(value(one, line, at.member("in")));
  }
  if (!settings.matches.empty()) {
    auto made = json::Regex::compile(settings.matches);
    if (made) matches_ = *std::move(made);
    if (!made) at.member("matches").fault(line, made.error().message);
  }
  if (settings.range) {
    const config::Location range = at.member("range");
    min_ = number(settings.range->min, line, range.member("min"));
    max_ = number(settings.range->max, line, range.member("max"));
    if (min_.empty() && max_.empty()) range.fault(line, "needs min, max or both");
  }
  const bool restricts = in_ || !settings.matches.empty() || settings.range || absent_;
  if (!restricts) at.fault(line, "needs one of equals, in, matches, range, absent");
  if (absent_.value_or(false) && (in_ || matches_ || settings.range)) {
    at.fault(line, "absent cannot be combined with other conditions");
  }
}

std::optional<json::NodeId> Condition::find(const json::Index& arguments) const {
  std::optional<json::NodeId> found = 0;
  for (const auto& token : tokens_) {
    found = arguments.child(*found, token);
    if (!found) break;
  }
  return found;
}

bool Condition::holds(const json::Index& arguments) const {
  const auto at = find(arguments);
  if (absent_.value_or(false)) return !at;
  if (!at) return false;
  return is_one_of(arguments, *at) && fits_pattern(arguments, *at) && is_in_range(arguments, *at);
}

bool Condition::is_one_of(const json::Index& arguments, json::NodeId at) const {
  if (!in_) return true;
  const auto given = json::canonical(arguments.raw(at));
  return given && std::ranges::find(*in_, *given) != in_->end();
}

// Programs read an unpaired surrogate differently, so no pattern matches it.
bool Condition::fits_pattern(const json::Index& arguments, json::NodeId at) const {
  if (!matches_) return true;
  if (arguments[at].type != json::Type::string) return false;
  const auto text = json::unquote(arguments.raw(at));
  json::Budget budget(kMostSteps);
  return text && matches_->search(*text, budget);
}

bool Condition::is_in_range(const json::Index& arguments, json::NodeId at) const {
  if (min_.empty() && max_.empty()) return true;
  if (arguments[at].type != json::Type::number) return false;
  const json::Decimal given(arguments.raw(at));
  return (min_.empty() || given >= json::Decimal(min_)) &&
         (max_.empty() || given <= json::Decimal(max_));
}

}  // namespace patchbay::policy

namespace patchbay {

template <>
const config::Fields& config::fields<policy::RangeSettings>() {
  static const Fields kFields = fields_of<policy::RangeSettings>({
      {"min", &policy::RangeSettings::min, "Minimum value."},
      {"max", &policy::RangeSettings::max, "Maximum value."},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<policy::ConditionSettings>() {
  static const Fields kFields = fields_of<policy::ConditionSettings>({
      {"pointer", &policy::ConditionSettings::pointer,
       "JSON pointer to the argument, such as /path.", Required{}},
      {"equals", &policy::ConditionSettings::equals, "The argument must equal this value."},
      {"in", &policy::ConditionSettings::in, "The argument must be one of these values."},
      {"matches", &policy::ConditionSettings::matches,
       "The argument must be a string that contains a match of this regular expression. Use ^ "
       "and $ to match all of it."},
      {"range", &policy::ConditionSettings::range,
       "The argument must be a number from min to max."},
      {"absent", &policy::ConditionSettings::absent,
       "true: the argument must be absent. false: it must be present."},
  });
  return kFields;
}

}  // namespace patchbay
