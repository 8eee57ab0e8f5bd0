#include "skills/arithmetic.h"

#include <algorithm>

#include "core/text.h"

namespace patchbay {
namespace {

bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
bool is_operator(char c) { return std::string_view("+-*/%^").contains(c); }

// How many bytes of an operator stand at the front: × ÷ − are more than one.
std::size_t operator_size(std::string_view text) {
  if (text.empty()) return 0;
  if (text.starts_with("×") || text.starts_with("÷")) return std::string_view("×").size();
  if (text.starts_with("−")) return std::string_view("−").size();
  return is_operator(text.front()) ? 1 : 0;
}

// 2026-11-15 and 15/11/2026: three numbers with the same sign between them and nothing else.
bool is_date(std::string_view word) {
  int groups = 1;
  char sign = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (is_ascii_digit(word[i])) continue;
    if ((word[i] != '-' && word[i] != '/') || (sign != 0 && word[i] != sign)) return false;
    if (i == 0 || !is_ascii_digit(word[i - 1])) return false;
    sign = word[i];
    ++groups;
  }
  return groups == 3;
}

// A word that may be part of an expression: numbers, operators and parentheses alone.
bool is_part(std::string_view word) {
  while (!word.empty()) {
    const auto size = operator_size(word);
    const char c = word.front();
    if (size == 0 && !is_ascii_digit(c) && !std::string_view(".()!").contains(c)) return false;
    word.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return true;
}

// Whether an operator stands between two operands somewhere.
bool works_out(std::string_view run) {
  bool operand = false;
  while (!run.empty()) {
    const auto size = operator_size(run);
    if (size > 0 && operand) {
      const auto right = run.find_first_not_of(" \t(+-", size);
      if (right != std::string_view::npos && is_ascii_digit(run[right])) return true;
    }
    if (!is_space(run.front())) operand = is_ascii_digit(run.front()) || run.front() == ')';
    run.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return false;
}

std::string_view without_punctuation(std::string_view word) {
  while (!word.empty() && std::string_view("?=,;:.").contains(word.back())) word.remove_suffix(1);
  return word;
}

}  // namespace

std::string_view find_arithmetic(std::string_view text) {
  std::string_view best;
  std::size_t begin = 0;  // Of the words in a row that are parts.
  std::size_t end = 0;
  const auto consider = [&] {
    const auto run = trimmed(text.substr(begin, end - begin));
    if (run.size() > best.size() && works_out(run)) best = run;
  };
  for (std::size_t at = 0; at < text.size();) {
    if (is_space(text[at])) {
      ++at;
      continue;
    }
    std::size_t next = at;
    while (next < text.size() && !is_space(text[next])) ++next;
    const auto whole = text.substr(at, next - at);
    const auto word = without_punctuation(whole);
    const bool part = !word.empty() && is_part(word) && !is_date(word);
    if (part) end = at + word.size();
    // Punctuation ends an expression as a word does that is no part of one.
    if (!part || word.size() != whole.size()) {
      consider();
      begin = end = next;
    }
    at = next;
  }
  consider();
  return best;
}

}  // namespace patchbay
