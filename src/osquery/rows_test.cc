#include "osquery/rows.h"

#include <gtest/gtest.h>

#include "osquery/osqueryi.h"

namespace patchbay::osquery {
namespace {

TEST(Rows, AreIndentedByTwo) {
  RowWriter none(Format::json);
  EXPECT_EQ(none.finish(), "[]");
  RowWriter rows(Format::json);
  rows.begin_row();
  rows.value("a", "1");
  rows.value("b", "x\"y");
  rows.end_row();
  rows.begin_row();
  rows.end_row();
  EXPECT_EQ(rows.finish(), "[\n  {\n    \"a\": \"1\",\n    \"b\": \"x\\\"y\"\n  },\n  {}\n]");
}

TEST(Rows, AreLinesOfText) {
  RowWriter rows(Format::text);
  for (const auto* const name : {"mycomputer", "other"}) {
    rows.begin_row();
    rows.value("hostname", name);
    rows.value("version", "Ubuntu 22.04");
    rows.end_row();
  }
  EXPECT_EQ(
      rows.finish(),
      "hostname: mycomputer\nversion: Ubuntu 22.04\n\nhostname: other\nversion: Ubuntu 22.04");
  EXPECT_EQ(RowWriter(Format::text).finish(), "");
}

TEST(Rows, OfOsqueryiAreReadAgain) {
  RowWriter rows(Format::text);
  EXPECT_TRUE(
      write_json_rows("[\n {\"a\":\"1\",\"b\":2,\"c\":null},{\"a\":\"\\u00e9\"}\n]\n", rows));
  EXPECT_EQ(rows.rows(), 2U);
  EXPECT_EQ(rows.finish(), "a: 1\nb: 2\nc: null\n\na: é");
  for (const auto* const wrong : {"", "{}", "[1]", "[{}", "[{}] x", "osquery> "}) {
    RowWriter none(Format::json);
    EXPECT_FALSE(write_json_rows(wrong, none)) << wrong;
  }
}

TEST(Rows, KeepColumnsOfTheSameNameApart) {
  std::vector<std::string> names{"a", "b", "a", "a"};
  make_unique(names);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "a:1", "a:2"}));
}

std::string outcome(std::string_view out, std::string_view err, std::string_view exit) {
  Settings settings;
  settings.rows = 2;
  auto rows = read_output(out, err, exit, settings, Format::json);
  return rows ? *rows : std::string(info(rows.error().code).name) + " " + rows.error().message;
}

TEST(Osqueryi, ReportsWhyItFailed) {
  constexpr std::string_view kWell = "exited with status 0";
  EXPECT_EQ(outcome("[]", "", kWell), "[]");
  EXPECT_EQ(outcome("[]", "W1231 something odd", kWell), "[]");
  EXPECT_EQ(outcome("[\n]\n", "Error: no such table: x\n", kWell),
            "upstream_failed osqueryi failed: Error: no such table: x");
  EXPECT_EQ(outcome("", "Error: near x\n", "exited with status 1"),
            "upstream_failed osqueryi exited with status 1: Error: near x");
  EXPECT_TRUE(
      outcome("nothing", "", kWell).starts_with("upstream_failed osqueryi printed no rows"));
  EXPECT_TRUE(outcome("[{},{},{}]", "", kWell).starts_with("too_large"));
}

}  // namespace
}  // namespace patchbay::osquery
