#include "core/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace patchbay {
namespace {

TEST(Environment, WhatIsTakenCanBeReadHereOnly) {
  ::setenv("PATCHBAY_TEST_TAKEN", "hunter2", 1);
  const char* const block = std::getenv("PATCHBAY_TEST_TAKEN");
  EXPECT_EQ(read_variable("PATCHBAY_TEST_TAKEN"), "hunter2");
  EXPECT_STREQ(block, "hunter2");
  EXPECT_EQ(take_variable("PATCHBAY_TEST_TAKEN"), "hunter2");
  EXPECT_STREQ(block, "");
  EXPECT_EQ(block[3], '\0');
  EXPECT_EQ(take_variable("PATCHBAY_TEST_TAKEN"), "hunter2");
  EXPECT_EQ(read_variable("PATCHBAY_TEST_TAKEN"), "hunter2");
}

TEST(Environment, ANewValueCounts) {
  ::setenv("PATCHBAY_TEST_NEW", "one", 1);
  EXPECT_EQ(take_variable("PATCHBAY_TEST_NEW"), "one");
  ::setenv("PATCHBAY_TEST_NEW", "two", 1);
  EXPECT_EQ(take_variable("PATCHBAY_TEST_NEW"), "two");
  EXPECT_EQ(read_variable("PATCHBAY_TEST_NEW"), "two");
  ::unsetenv("PATCHBAY_TEST_NEW");
  EXPECT_EQ(read_variable("PATCHBAY_TEST_NEW"), std::nullopt);
}

TEST(Environment, WhatLibrariesReadStays) {
  ::setenv("SSL_CERT_FILE", "/some/file", 1);
  EXPECT_EQ(take_variable("SSL_CERT_FILE"), "/some/file");
  EXPECT_STREQ(std::getenv("SSL_CERT_FILE"), "/some/file");
  ::unsetenv("SSL_CERT_FILE");
  const auto path = take_variable("PATH");
  ASSERT_TRUE(path);
  EXPECT_EQ(*path, std::getenv("PATH"));
}

TEST(Environment, EmptyIsNotUnset) {
  ::setenv("PATCHBAY_TEST_BLANK", "", 1);
  EXPECT_EQ(take_variable("PATCHBAY_TEST_BLANK"), "");
  EXPECT_EQ(take_variable("PATCHBAY_TEST_UNKNOWN"), std::nullopt);
}

}  // namespace
}  // namespace patchbay
