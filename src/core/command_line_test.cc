#include "core/command_line.h"

#include <gtest/gtest.h>

namespace patchbay {
namespace {

using Args = std::vector<std::string>;

TEST(CommandLine, SplitsAtBlanks) {
  EXPECT_EQ(*split_args("python  calc.py\t-v \n"), (Args{"python", "calc.py", "-v"}));
  EXPECT_EQ(*split_args(""), Args{});
  EXPECT_EQ(*split_args(" "), Args{});
}

TEST(CommandLine, QuotesKeepArgumentsTogether) {
  EXPECT_EQ(*split_args(R"(a 'b c' "d e"f)"), (Args{"a", "b c", "d ef"}));
  EXPECT_EQ(*split_args(R"(a "" b)"), (Args{"a", "", "b"}));
  EXPECT_EQ(*split_args(R"(a\ b "q\"q" 'n\n')"), (Args{"a b", "q\"q", "n\\n"}));
  EXPECT_FALSE(split_args("it's"));
}

}  // namespace
}  // namespace patchbay
