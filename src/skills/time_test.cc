#include "skills/time.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "json/read.h"
#include "skills/zone.h"

namespace patchbay {
namespace {

using namespace std::chrono;

constexpr sys_seconds kNovember = sys_days(2026y / 11 / 15) + 3h;
constexpr sys_seconds kJuly = sys_days(2026y / 7 / 31) + 22h + 5min + 9s;

std::string answer(sys_seconds moment, std::string_view zone) {
  const auto text = show_time(moment, zone);
  return text ? *text : text.error().message;
}

TEST(Time, ShowsUtcAndOffsets) {
  EXPECT_EQ(answer(kNovember, "UTC"), "2026-11-15T03:00:00Z UTC");
  EXPECT_EQ(answer(kNovember, "utc"), "2026-11-15T03:00:00Z UTC");
  EXPECT_EQ(answer(kNovember, "+02:00"), "2026-11-15T05:00:00+02:00");
  EXPECT_EQ(answer(kNovember, "-05:30"), "2026-11-14T21:30:00-05:30");
  EXPECT_EQ(answer(kNovember, "+0530"), "2026-11-15T08:30:00+05:30");
  EXPECT_EQ(answer(kNovember, "-3"), "2026-11-15T00:00:00-03:00");
  EXPECT_EQ(answer(kNovember, "+00:00"), "2026-11-15T03:00:00Z");
  EXPECT_EQ(answer(kJuly, "+02"), "2026-08-01T00:05:09+02:00");
}

TEST(Time, RefusesOddOffsets) {
  for (const auto* zone :
       {"+", "+24:00", "+02:60", "+2:00", "+02:0", "+-2", "--02", "+02:00:00", "+ab", "+02-30"}) {
    EXPECT_TRUE(answer(kJuly, zone).ends_with("is no offset; write it as +02:00 or -05:30"))
        << zone;
  }
}

TEST(Time, ShowsNamedZones) {
  if (!std::filesystem::exists(std::filesystem::path(kZoneDirectory) / "Europe/Berlin")) {
    GTEST_SKIP() << "tzdata is not installed";
  }
  EXPECT_EQ(answer(kNovember, "Europe/Berlin"), "2026-11-15T04:00:00+01:00 Europe/Berlin (CET)");
  EXPECT_EQ(answer(kJuly, "Europe/Berlin"), "2026-08-01T00:05:09+02:00 Europe/Berlin (CEST)");
  EXPECT_EQ(answer(kJuly, "America/New_York"), "2026-07-31T18:05:09-04:00 America/New_York (EDT)");
  // Offsets had seconds once; the moment stays right.
  EXPECT_EQ(answer(sys_days(1850y / 1 / 1), "Europe/Berlin"),
            "1850-01-01T00:53:00+00:53 Europe/Berlin (LMT)");
}

TEST(Time, ShowsTheLocalZone) {
  const auto text = show_time(kJuly, "local");
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_NE(text->find(" local ("), std::string::npos) << *text;
}

TEST(TimeSkill, ReadsItsArguments) {
  const auto now = kTimeSkill.run("{}");
  ASSERT_TRUE(now);
  EXPECT_TRUE(now->ends_with("Z UTC")) << *now;
  EXPECT_TRUE(kTimeSkill.run(R"({"zone":null})"));
  EXPECT_TRUE(kTimeSkill.run(R"({"zone":"+02:00"})"));
  for (const auto* arguments :
       {R"({"zone":7})", R"({"zone":"../x"})", R"({"zone":""})", R"({"timezone":"UTC"})"}) {
    const auto refused = kTimeSkill.run(arguments);
    ASSERT_FALSE(refused) << arguments;
    EXPECT_EQ(refused.error().code, Code::invalid_params);
  }
  EXPECT_TRUE(json::check(kTimeSkill.input_schema));
}

}  // namespace
}  // namespace patchbay
