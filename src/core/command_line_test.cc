#include "core/command_line.h"

#include <gtest/gtest.h>

namespace patchbay {
namespace {

using Words = std::vector<std::string>;

TEST(CommandLine, SplitsAtBlanks) {
  EXPECT_EQ(*split_words("python  calc.py\t-v \n"), (Words{"python", "calc.py", "-v"}));
  EXPECT_EQ(*split_words(""), Words{});
  EXPECT_EQ(*split_words(" "), Words{});
}

TEST(CommandLine, QuotesKeepArgumentsTogether) {
  EXPECT_EQ(*split_words(R"(a 'b c' "d e"f)"), (Words{"a", "b c", "d ef"}));
  EXPECT_EQ(*split_words(R"(a "" b)"), (Words{"a", "", "b"}));
  EXPECT_EQ(*split_words(R"(a\ b "q\"q" 'n\n')"), (Words{"a b", "q\"q", "n\\n"}));
  EXPECT_FALSE(split_words("it's"));
}

}  // namespace
}  // namespace patchbay
