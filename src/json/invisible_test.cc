#include "json/invisible.h"

#include <gtest/gtest.h>

#include "json/read.h"

namespace patchbay::json {
namespace {

TEST(Invisible, LeavesWhatPeopleSee) {
  const std::string text = "a line\n\tand \"another\" – größer, 語, 👍";
  EXPECT_EQ(visible(text), text);
}

TEST(Invisible, EscapesWhatATerminalObeys) {
  EXPECT_EQ(visible("a\x1b[2Jb\r\x07\x7f"), R"(a\u001b[2Jb\u000d\u0007\u007f)");
  EXPECT_EQ(visible("\xC2\x9B\x32J"), R"(\u009b2J)");
  EXPECT_EQ(visible("\x9B\x32J"), "\xEF\xBF\xBD\x32J");
}

TEST(Invisible, EscapesWhatTurnsTextRoundOrHidesIt) {
  EXPECT_EQ(visible("a\u202Eb\u2066c\u200Fd\u2028e\uFEFF"),
            R"(a\u202eb\u2066c\u200fd\u2028e\ufeff)");
  EXPECT_EQ(visible("\U000E0041"), R"(\udb40\udc41)");
}

TEST(Invisible, KeepsJsonTheSame) {
  std::string line = "before\x1b{\"a\":\"\u2028\U000E0041\"}";
  escape_invisible(line, 7);
  EXPECT_EQ(line, "before\x1b{\"a\":\"\\u2028\\udb40\\udc41\"}");
  EXPECT_EQ(string_member(std::string_view(line).substr(7), "a"), "\u2028\U000E0041");
}

}  // namespace
}  // namespace patchbay::json
