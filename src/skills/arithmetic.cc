#include "skills/arithmetic.h"

#include <algorithm>

#include "core/text.h"

namespace patchbay {
namespace {

bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
bool is_operator(char c) { return std::string_view("+-*/%^").contains(c); }

// The length of the operator at the front, in bytes: × ÷ − have more than one.
std::size_t operator_size(std::string_view text) {
  if (text.empty()) return 0;
  if (text.starts_with("×") || text.starts_with("÷")) return std::string_view("×").size();
  if (text.starts_with("−")) return std::string_view("−").size();
  return is_operator(text.front()) ? 1 : 0;
}

// 2026-11-15 and 15/11/2026: three numbers with the same sign between them and nothing else.
bool is_date(std::string_view token) {
  int groups = 1;
  char sign = 0;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (is_ascii_digit(token[i])) continue;
    if ((token[i] != '-' && token[i] != '/') || (sign != 0 && token[i] != sign)) return false;
    if (i == 0 || !is_ascii_digit(token[i - 1])) return false;
    sign = token[i];
    ++groups;
  }
  return groups == 3;
}

// A token that may be part of an expression: only numbers, operators and parentheses.
bool is_part(std::string_view token) {
  while (!token.empty()) {
    const auto size = operator_size(token);
    const char c = token.front();
    if (size == 0 && !is_ascii_digit(c) && !std::string_view(".()!").contains(c)) return false;
    token.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return true;
}

// Whether there is an operator between two operands.
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

std::string_view without_punctuation(std::string_view token) {
  while (!token.empty() && std::string_view("?=,;:.").contains(token.back()))
    token.remove_suffix(1);
  return token;
}

}  // namespace

std::string_view find_arithmetic(std::string_view text) {
  std::string_view best;
  std::size_t begin = 0;  // Of the consecutive tokens that are parts.
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
    const auto token = without_punctuation(whole);
    const bool part = !token.empty() && is_part(token) && !is_date(token);
    if (part) end = at + token.size();
    // Punctuation ends an expression, as does a token that is no part of one.
    if (!part || token.size() != whole.size()) {
      consider();
      begin = end = next;
    }
    at = next;
  }
  consider();
  return best;
}

}  // namespace patchbay
