#include "skills/goal_keywords.h"

#include <algorithm>

#include "core/text.h"
#include "json/text.h"

namespace patchbay {
namespace {

constexpr auto kNowhere = std::string_view::npos;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

bool mentions(std::string_view goal, std::span<const std::string_view> keywords) {
  return std::ranges::any_of(keywords,
                             [&](std::string_view keyword) { return goal.contains(keyword); });
}

bool mentions(std::string_view goal, std::initializer_list<std::string_view> keywords) {
  return mentions(goal, std::span(keywords.begin(), keywords.size()));
}

std::string_view subject_of(const GoalText& goal, std::span<const std::string_view> keywords) {
  if (!goal.keyword.empty()) return goal.text;
  const std::string lower = ascii_lower(goal.whole);
  std::size_t at = kNowhere;
  for (const auto keyword : keywords) at = std::min(at, lower.find(keyword));
  if (at == kNowhere) return goal.text;
  if (const auto colon = lower.find(':'); colon != kNowhere && colon > at) {
    return trimmed(goal.whole.substr(colon + 1));
  }
  while (at < lower.size() && is_letter(lower[at])) ++at;
  return trimmed(goal.whole.substr(at));
}

std::string_view without_lead(std::string_view subject,
                              std::initializer_list<std::string_view> little) {
  for (const auto keyword : little) {
    if (subject.size() <= keyword.size() || subject[keyword.size()] != ' ') continue;
    if (ascii_lower(subject.substr(0, keyword.size())) != keyword) continue;
    subject = trimmed(subject.substr(keyword.size()));
  }
  return subject;
}

std::string one_argument(std::string_view name, std::string_view text) {
  std::string arguments;
  arguments.reserve(name.size() + text.size() + sizeof R"({"":""})");
  arguments += '{';
  json::append_quoted(arguments, name);
  arguments += ':';
  json::append_quoted(arguments, text);
  arguments += '}';
  return arguments;
}

}  // namespace patchbay
