#include "osquery/query_process.h"

#include <gtest/gtest.h>

namespace patchbay::osquery {
namespace {

TEST(QueryProcess, SettingsArriveAsTheyAre) {
  Settings settings;
  settings.rows = 7;
  settings.bytes.value = 5000;
  settings.memory.value = 9 << 20;
  settings.statement.value = 100;
  settings.cpu_timeout = config::Duration(90'000);
  settings.allowed_tables = {"users", "a \"quoted\" one", "${HOME}"};
  settings.denied_tables = {};
  settings.file_roots = {"/srv/with space"};
  settings.hash_size.value = 0;
  const auto there = read_settings(write_settings(settings));
  ASSERT_TRUE(there) << there.error().message;
  EXPECT_EQ(there->rows, 7);
  EXPECT_EQ(there->bytes.value, 5000U);
  EXPECT_EQ(there->memory.value, settings.memory.value);
  EXPECT_EQ(there->statement.value, 100U);
  EXPECT_EQ(there->cpu_timeout, settings.cpu_timeout);
  EXPECT_EQ(there->allowed_tables, settings.allowed_tables);
  EXPECT_TRUE(there->denied_tables.empty());
  EXPECT_EQ(there->file_roots, settings.file_roots);
  EXPECT_EQ(there->hash_size.value, 0U);
  EXPECT_FALSE(read_settings("{"));
  EXPECT_FALSE(read_settings(R"({"rows":0})"));
}

TEST(QueryProcess, ProcessorTimeIsWholeSeconds) {
  Settings settings;
  EXPECT_EQ(cpu_seconds(settings), 10U);
  settings.cpu_timeout = config::Duration(1'001);
  EXPECT_EQ(cpu_seconds(settings), 2U);
}

}  // namespace
}  // namespace patchbay::osquery
