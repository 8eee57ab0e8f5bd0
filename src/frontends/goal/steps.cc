#include "frontends/goal/steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/http_token.h"
#include "core/text.h"
#include "json/cursor.h"
#include "json/text.h"

namespace patchbay::frontends {
namespace {

constexpr std::string_view kThen = "then";

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::none_of(text, is_space);
}

// The start of the next `then` that stands alone, from `at` on. Its case does not matter.
std::size_t find_then(std::string_view goal, std::size_t at) {
  for (at = std::max<std::size_t>(at, 1); at + kThen.size() < goal.size(); ++at) {
    if (goal[at] != 't' && goal[at] != 'T') continue;
    const bool alone = is_space(goal[at - 1]) && is_space(goal[at + kThen.size()]);
    if (alone && same_token(goal.substr(at, kThen.size()), kThen)) return at;
  }
  return std::string_view::npos;
}

// A step that cannot be prose: a name before a colon, or only the full name of a tool.
bool is_beyond_doubt(std::string_view step,
                     const std::function<bool(std::string_view name)>& knows) {
  if (step.contains(kPrevious)) return true;
  const auto named = named_step(step);
  if (!named) return false;
  const bool full = named->name.contains('.') || named->name.contains("__");
  return (full || step.contains(':')) && knows(named->name);
}

// The start of the text in the step that begins at `at`: after arguments in JSON, which are not
// prose.
std::size_t text_begin(std::string_view goal, std::size_t at) {
  const std::string_view rest = goal.substr(at);
  // A name contains no space, so only the text up to the first space is examined.
  const auto* const name = std::ranges::find_if_not(rest, is_space);
  const auto* const end =
      std::find_if(name, rest.end(), [](char c) { return is_space(c) || c == ':'; });
  const auto* const colon = std::find_if_not(end, rest.end(), is_space);
  if (name == end || colon == rest.end() || *colon != ':') return at;
  const auto* const text = std::find_if_not(colon + 1, rest.end(), is_space);
  if (text == rest.end() || *text != '{') return at;
  json::Cursor cursor(rest.substr(static_cast<std::size_t>(text - rest.begin())));
  std::string_view object;
  if (!cursor.value(object)) return at;
  return static_cast<std::size_t>(object.data() + object.size() - goal.data());
}

std::string_view without_comma(std::string_view step) {
  step = trimmed(step);
  if (step.ends_with(',')) step.remove_suffix(1);
  return trimmed(step);
}

}  // namespace

std::optional<NamedStep> named_step(std::string_view step) {
  step = trimmed(step);
  const auto colon = step.find(':');
  const auto name = trimmed(step.substr(0, colon));
  if (!is_name(name)) return std::nullopt;
  const auto text = colon == std::string_view::npos ? std::string_view() : step.substr(colon + 1);
  return NamedStep{name, trimmed(text)};
}

std::vector<std::string_view> split_goal(std::string_view goal,
                                         const std::function<bool(std::string_view name)>& knows) {
  if (find_then(goal, 0) == std::string_view::npos) return {trimmed(goal)};
  std::vector<std::string_view> steps;
  std::size_t begin = 0;
  for (auto then = find_then(goal, text_begin(goal, 0)); then != std::string_view::npos;) {
    const auto behind = then + kThen.size();
    const auto next = find_then(goal, text_begin(goal, behind));
    const auto following = trimmed(goal.substr(behind, next - behind));
    if (is_beyond_doubt(following, knows)) {
      steps.push_back(without_comma(goal.substr(begin, then - begin)));
      begin = behind;
    }
    then = next;
  }
  steps.push_back(trimmed(goal.substr(begin)));
  return steps;
}

Result<std::string> fill_in(std::string_view text, std::string_view previous, FillIn how,
                            std::size_t most) {
  std::string quoted;
  if (how == FillIn::json && text.contains(kPrevious)) {
    quoted = json::quote(previous);
    previous = std::string_view(quoted).substr(1, quoted.size() - 2);
  }
  std::string filled;
  for (;;) {
    const auto at = text.find(kPrevious);
    filled += text.substr(0, at);
    if (at == std::string_view::npos) break;
    filled += previous;
    text.remove_prefix(at + kPrevious.size());
    if (filled.size() > most) break;
  }
  if (filled.size() <= most) return filled;
  return Error{Code::too_large,
               fmt::format("with {} filled in, the step exceeds {} bytes", kPrevious, most)};
}

}  // namespace patchbay::frontends
