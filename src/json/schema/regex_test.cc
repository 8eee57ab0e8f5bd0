#include "json/schema/regex.h"

#include <gtest/gtest.h>

namespace patchbay::json {
namespace {

bool matches(std::string_view pattern, std::string_view text, const RegexLimits& limits = {}) {
  const auto regex = Regex::compile(pattern, limits);
  EXPECT_TRUE(regex) << pattern << ": " << (regex ? "" : regex.error().message);
  Budget budget(10'000'000);
  const bool found = regex && regex->search(text, budget);
  EXPECT_FALSE(budget.spent()) << pattern;
  return found;
}

struct RegexCase {
  const char* pattern;
  const char* text;
  bool expected;
};

constexpr RegexCase kRegexCases[] = {
    {"", "", true},
    {"b", "abc", true},
    {"^b", "abc", false},
    {"c$", "abc", true},
    {"^abc$", "abc\n", false},
    {"^a|c$", "xc", true},
    {"(^|x)a", "ya", false},
    {"a.c", "a\nc", false},
    {"a.c",
     "a\xE2\x80\xA8"
     "c",
     false},
    {"a[^]c", "a\nc", true},
    {"[]", "a", false},
    {"^[a-c\\d_-]+$", "a1_-c", true},
    {"^[^a-c]+$", "xbx", false},
    {"^[\\]\\b]$", "\b", true},
    {"^a{2}$", "aa", true},
    {"^a{2,}$", "a", false},
    {"^a{0,2}$", "aaa", false},
    {"^(?:ab){2,3}?$", "ababab", true},
    {"^a{$", "a{", true},
    {"^a*?b+?c??$", "aabb", true},
    {"\\bcat\\b", "a cat.", true},
    {"\\bcat\\b", "concat", false},
    {"\\Bcat$", "concat", true},
    {"^\\B$", "", true},
    {"^\\w\\W\\d\\D\\s\\S$", "_-1x\xC2\xA0y", true},
    {"^\\w$", "\xC3\xA9", false},
    {"^\\x41\\u0042\\u{1F432}\\cJ\\t\\0?$", "AB\xF0\x9F\x90\xB2\n\t", true},
    {"^\\uD83D\\uDC32$", "\xF0\x9F\x90\xB2", true},
    {"^.$", "\xF0\x9F\x90\xB2", true},
    {"^\\p{Lu}\\p{Letter}\\p{gc=Nd}\\P{L}$",
     "\xC3\x89\xC3\xA9"
     "1!",
     true},
    {"^\\p{Lo}$", "\xF0\x91\x88\xBF", true},  // U+1123F, new in Unicode 15.0.
    {"^(?<year>\\d{4})-(?<month>\\d\\d)$", "2026-11", true},
    {"^(|a)+$", "aaa", true},
    {"^(a*)*$", "aab", false},
    {"\\.\\/\\-\\@", "./-@", true},
};

constexpr RegexCase kLooks[] = {
    {"a(?=b)", "ab", true},
    {"a(?=b)", "ac", false},
    {"a(?!b)", "ab", false},
    {"a(?!b)", "a", true},
    {"(?<=a)b", "ab", true},
    {"(?<=a)b", "cb", false},
    {"(?<!a)b", "b", true},
    {"(?<!a)b", "ab", false},
    {"^(?=.*\\d)(?=.*[a-z]).{4,}$", "ab1c", true},
    {"^(?=.*\\d)(?=.*[a-z]).{4,}$", "abcd", false},
    {"^(?!.*(?:admin|root)).*$", "an admin", false},
    {"^(?!(?:a(?!b))+$)", "aaa", false},
    {"^(?!(?:a(?!b))+$)", "aab", true},
    {"(?<=^|,)x(?=,|$)", "y,x", true},
    {"(?<=^|,)x(?=,|$)", "y,xx", false},
    {"(?<=a+b{2})c", "aabbc", true},
    {"(?=\\bcat\\b)c", "a cat", true},
    {"(?=\\bcat\\b)c", "a cats", false},
    {"^(?:(?=a)a|(?=b)b){3}$", "aba", true},
    {"(?=a){2}a", "a", true},
    {"(?=)", "", true},
    {"(?!)", "a", false},
    {"^(?=.\xC3\xA9)..$", "x\xC3\xA9", true},
    // That of zod for e-mail addresses.
    {"^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+"
     "[A-Za-z]{2,}$",
     "a.b@example.org", true},
    {"^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+"
     "[A-Za-z]{2,}$",
     "a..b@example.org", false},
};

TEST(Regex, LooksAheadAndBehind) {
  for (const RegexCase& one : kLooks) {
    EXPECT_EQ(matches(one.pattern, one.text), one.expected) << one.pattern << " in " << one.text;
  }
}

TEST(Regex, LooksInLinearTime) {
  const auto regex = Regex::compile("^(?=(?:a(?!b))*$)(?!.*b)(?<!a.*)(a*)*$");
  ASSERT_TRUE(regex);
  for (const std::size_t size : {1'000U, 10'000U}) {
    Budget budget(100 * size);
    EXPECT_TRUE(regex->search(std::string(size, 'a'), budget));
    EXPECT_FALSE(budget.spent());
  }
  std::string many;
  for (int i = 0; i < 300; ++i) many += "(?=a)";
  EXPECT_EQ(Regex::compile(many).error().code, Code::too_large);
}

TEST(Regex, Matches) {
  for (const RegexCase& one : kRegexCases) {
    EXPECT_EQ(matches(one.pattern, one.text), one.expected) << one.pattern << " in " << one.text;
  }
}

// The table and following all states at once are two ways to the same answer.
TEST(Regex, MatchesWithoutATableToo) {
  for (const RegexCase& one : kRegexCases) {
    const auto regex = Regex::compile(one.pattern, {.table = 0});
    ASSERT_TRUE(regex);
    EXPECT_FALSE(regex->has_table());
    Budget budget(10'000);
    EXPECT_EQ(regex->search(one.text, budget), one.expected) << one.pattern << " in " << one.text;
  }
}

TEST(Regex, ReportsFaults) {
  const auto fault = [](std::string_view pattern) {
    const auto regex = Regex::compile(pattern);
    return regex ? "" : regex.error().message;
  };
  EXPECT_EQ(fault("(a)\\1"), "it refers back to a group, which linear time does not allow");
  EXPECT_EQ(fault("(?<n>a)\\k<n>"), "it refers back to a group, which linear time does not allow");
  EXPECT_EQ(fault("\\p{Script=Greek}"), "the property Script=Greek of Unicode is not known here");
  EXPECT_EQ(fault("(a"), "a parenthesis is not closed (at byte 2)");
  EXPECT_EQ(fault("a)"), "a parenthesis closes nothing (at byte 1)");
  EXPECT_EQ(fault("[a"), "a bracket is not closed (at byte 2)");
  EXPECT_EQ(fault("*a"), "there is nothing to repeat (at byte 0)");
  EXPECT_EQ(fault("a{3,2}"), "a repeat has its bounds the wrong way round (at byte 6)");
  EXPECT_EQ(fault("[b-a]"), "a range is out of order (at byte 4)");
  EXPECT_EQ(fault("\\a"), "an unknown escape (at byte 2)");
  EXPECT_EQ(fault("(?i)a"), "an unknown kind of group (at byte 1)");
  EXPECT_EQ(fault("a\\"), "the pattern ends with a backslash (at byte 2)");
  EXPECT_EQ(fault("\\u{110000}"), "\\u{} names no character (at byte 10)");
  EXPECT_FALSE(is_regex("(a"));
  EXPECT_TRUE(is_regex("(?<=a+)b\\1"));
}

TEST(Regex, BoundsWhatAPatternCosts) {
  const auto code = [](std::string_view pattern) { return Regex::compile(pattern).error().code; };
  EXPECT_EQ(code(std::string(5000, 'a')), Code::too_large);
  EXPECT_EQ(code("a{1000000}"), Code::too_large);
  EXPECT_EQ(code("((a{100}){100}){100}"), Code::too_large);
  EXPECT_EQ(code("(((){1000}){1000}){1000}"), Code::too_large);
  EXPECT_EQ(code("((((((((((x{9}){9}){9}){9}){9}){9}){9}){9}){9}){9})"), Code::too_large);
  EXPECT_EQ(code(std::string(100, '(') + std::string(100, ')')), Code::invalid_params);
}

// Patterns that take exponential or quadratic time elsewhere. Twice the text is twice the work, no
// matter how it ends.
TEST(Regex, TakesLinearTime) {
  const char* const patterns[] = {"(a*)*b",
                                  "(a+)+$",
                                  "(a|aa)+$",
                                  "(a|a?)+b",
                                  "(.*)*=(.*)*;",
                                  "(x+x+)+y",
                                  "a?a?a?a?a?a?a?a?a?aaaaaaaaaa$",
                                  ".*.*.*.*=.*",
                                  "[^b]{300}b$",
                                  "(\\w+\\s?)*!$"};
  const auto work = [](const Regex& regex, std::size_t size) {
    constexpr std::uint64_t kPlenty = 1'000'000'000;
    Budget budget(kPlenty);
    (void)regex.search(std::string(size, 'a') + "!", budget);
    return kPlenty - budget.left();
  };
  for (const char* const pattern : patterns) {
    const auto regex = Regex::compile(pattern, {.table = 0});
    ASSERT_TRUE(regex) << pattern;
    const std::uint64_t once = work(*regex, 4000);
    EXPECT_LE(work(*regex, 8000), once * 2 + once / 10) << pattern;
    EXPECT_LE(once, 4002 * (regex->size() + 1)) << pattern;
  }
}

TEST(Regex, StopsWhenTheBudgetIsSpent) {
  const auto regex = Regex::compile("[^b]{300}b$", {.table = 0});
  ASSERT_TRUE(regex);
  Budget budget(100);
  EXPECT_FALSE(regex->search(std::string(10'000, 'a') + "b", budget));
  EXPECT_TRUE(budget.spent());
}

}  // namespace
}  // namespace patchbay::json
