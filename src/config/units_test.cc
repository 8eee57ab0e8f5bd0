#include "config/units.h"

#include <gtest/gtest.h>

#include <regex>

namespace patchbay::config {
namespace {

using namespace std::chrono_literals;

TEST(Units, ParsesDurations) {
  EXPECT_EQ(*parse_duration("250ms"), 250ms);
  EXPECT_EQ(*parse_duration("30s"), 30s);
  EXPECT_EQ(*parse_duration("1m"), 1min);
  EXPECT_EQ(*parse_duration("2h"), 2h);
  EXPECT_EQ(*parse_duration("7d"), 168h);
  EXPECT_EQ(*parse_duration("1d12h"), 36h);
  EXPECT_EQ(*parse_duration("0"), 0ms);
  EXPECT_EQ(*parse_duration("0s"), 0ms);
  EXPECT_EQ(*parse_duration("1m30s"), 90s);
  EXPECT_EQ(*parse_duration("1h2m3s4ms"), 1h + 2min + 3s + 4ms);
  EXPECT_EQ(*parse_duration("90s"), 90s);
}

TEST(Units, ParsesSizes) {
  EXPECT_EQ(parse_bytes("1000")->value, 1000u);
  EXPECT_EQ(parse_bytes("0")->value, 0u);
  EXPECT_EQ(parse_bytes("512B")->value, 512u);
  EXPECT_EQ(parse_bytes("64KiB")->value, 65536u);
  EXPECT_EQ(parse_bytes("16MiB")->value, 16777216u);
  EXPECT_EQ(parse_bytes("1GiB")->value, 1073741824u);
  EXPECT_EQ(parse_bytes("10MB")->value, 10000000u);
}

TEST(Units, RefusesWhatIsNeither) {
  for (const auto text :
       {"", " ", "1", "30", "-1s", "+1s", "1 s", "s", "1.5s", "1w", "30s1m", "1s1s", "1S", "1s ",
        "9223372036854775807h", "99999999999999999999s", "1m30"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
    EXPECT_FALSE(std::regex_search(text, std::regex(std::string(kDurationPattern))) &&
                 std::string_view(text).size() < 10)
        << text;
  }
  for (const auto text : {"", "-1", "1.5MiB", "MiB", "1 MiB", "1mib", "1XB", "1MiB2", "1iB",
                          "9999999999TiB", "99999999999999999999"}) {
    EXPECT_FALSE(parse_bytes(text)) << text;
    EXPECT_FALSE(std::regex_search(text, std::regex(std::string(kBytesPattern))) &&
                 std::string_view(text).size() < 10)
        << text;
  }
}

TEST(Units, PrintsTheShortestFormThatParsesBack) {
  for (const auto text : {"0", "1ms", "250ms", "30s", "1m", "1m30s", "2h", "1h1ms", "25h"}) {
    EXPECT_EQ(print(*parse_duration(text)), text);
    EXPECT_TRUE(std::regex_search(text, std::regex(std::string(kDurationPattern)))) << text;
  }
  for (const auto text :
       {"0", "1", "1000", "1023", "1KiB", "16MiB", "1GiB", "3TiB", "10MB", "1537"}) {
    EXPECT_EQ(print(*parse_bytes(text)), text);
    EXPECT_TRUE(std::regex_search(text, std::regex(std::string(kBytesPattern)))) << text;
  }
  EXPECT_EQ(print(Duration(90'000)), "1m30s");
  EXPECT_EQ(print(Bytes{2048}), "2KiB");
}

}  // namespace
}  // namespace patchbay::config
