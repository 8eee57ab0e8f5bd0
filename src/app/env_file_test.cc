#include "app/env_file.h"

#include <gtest/gtest.h>

namespace patchbay::app {
namespace {

TEST(EnvFile, ReadsLines) {
  const auto read =
      read_env_file("# comment\n\nA=1\nexport B = 'two words'\r\nC=\"x=y\"\nD=\nE=it's\nF=a#b");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(
      *read,
      (config::Dict<std::string>{
          {"A", "1"}, {"B", "two words"}, {"C", "x=y"}, {"D", ""}, {"E", "it's"}, {"F", "a#b"}}));
}

TEST(EnvFile, NamesTheLineAndNotTheSecret) {
  const auto read = read_env_file("A=1\nhush hush\n");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "line 2 is not NAME=value");
}

}  // namespace
}  // namespace patchbay::app
