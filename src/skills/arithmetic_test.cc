#include "skills/arithmetic.h"

#include <gtest/gtest.h>

namespace patchbay {
namespace {

TEST(Arithmetic, IsFoundInASentence) {
  EXPECT_EQ(find_arithmetic("12 / 4"), "12 / 4");
  EXPECT_EQ(find_arithmetic("what is (12 + 4) / 2?"), "(12 + 4) / 2");
  EXPECT_EQ(find_arithmetic("3+4 is what"), "3+4");
  EXPECT_EQ(find_arithmetic("how much is 6 × 7 = ?"), "6 × 7");
  EXPECT_EQ(find_arithmetic("so 1.5 * -2."), "1.5 * -2");
  EXPECT_EQ(find_arithmetic("1 + 1, or 2 + 2 + 2"), "2 + 2 + 2");
  EXPECT_EQ(find_arithmetic("5 ^ 2 % 3"), "5 ^ 2 % 3");
}

TEST(Arithmetic, IsNotEverythingWithASign) {
  for (const auto* text :
       {"", "12", "a - b", "osquery: SELECT * FROM users", "on 2026-11-15 or 15/11/2026",
        "see http://x/1/2", "well-known", "covid-19", "chapters 3 and 4", "- 5", "5 -", "a/b 2",
        "/etc/passwd", "1 + x", "C++ 17", "version 1.2.3"}) {
    EXPECT_EQ(find_arithmetic(text), "") << text;
  }
}

}  // namespace
}  // namespace patchbay
