#include "skills/zone.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace patchbay {
namespace {

using namespace std::chrono;

sys_seconds utc(int y, int m, int d, int h = 0, int min = 0, int s = 0) {
  return sys_days(year(y) / m / d) + hours(h) + minutes(min) + seconds(s);
}

std::string local(const ZoneTime& time) {
  return time.abbreviation + " " + std::to_string(duration_cast<minutes>(time.offset).count());
}

std::string by_rule(std::string_view rule, sys_seconds moment) {
  const auto parsed = PosixRule::parse(rule);
  return parsed ? local(parsed->at(moment)) : "no rule";
}

TEST(PosixRule, ChangesOnTheSecond) {
  const std::string_view berlin = "CET-1CEST,M3.5.0,M10.5.0/3";
  EXPECT_EQ(by_rule(berlin, utc(2050, 3, 27, 0, 59, 59)), "CET 60");
  EXPECT_EQ(by_rule(berlin, utc(2050, 3, 27, 1)), "CEST 120");
  EXPECT_EQ(by_rule(berlin, utc(2050, 10, 30, 0, 59, 59)), "CEST 120");
  EXPECT_EQ(by_rule(berlin, utc(2050, 10, 30, 1)), "CET 60");
  EXPECT_EQ(by_rule(berlin, utc(2050, 12, 31, 23, 30)), "CET 60");
  const std::string_view new_york = "EST5EDT,M3.2.0,M11.1.0";
  EXPECT_EQ(by_rule(new_york, utc(2026, 3, 8, 6, 59, 59)), "EST -300");
  EXPECT_EQ(by_rule(new_york, utc(2026, 3, 8, 7)), "EDT -240");
  EXPECT_EQ(by_rule(new_york, utc(2026, 11, 1, 6)), "EST -300");
}

TEST(PosixRule, KnowsTheSouthAndWinterTime) {
  const std::string_view sydney = "AEST-10AEDT,M10.1.0,M4.1.0/3";
  EXPECT_EQ(by_rule(sydney, utc(2030, 1, 1)), "AEDT 660");
  EXPECT_EQ(by_rule(sydney, utc(2030, 7, 1)), "AEST 600");
  EXPECT_EQ(by_rule(sydney, utc(2029, 12, 31, 23)), "AEDT 660");
  const std::string_view dublin = "IST-1GMT0,M10.5.0,M3.5.0/1";
  EXPECT_EQ(by_rule(dublin, utc(2030, 1, 1)), "GMT 0");
  EXPECT_EQ(by_rule(dublin, utc(2030, 7, 1)), "IST 60");
}

TEST(PosixRule, KnowsEveryFormOfADay) {
  const std::string_view all_year = "EST5EDT,0/0,J365/25";
  EXPECT_EQ(by_rule(all_year, utc(2030, 1, 1, 4, 59, 59)), "EDT -240");
  EXPECT_EQ(by_rule(all_year, utc(2030, 1, 1, 5)), "EDT -240");
  EXPECT_EQ(by_rule(all_year, utc(2030, 7, 1)), "EDT -240");
  EXPECT_EQ(by_rule("AAA0BBB,J60/0,J300/0", utc(2028, 2, 29, 23)), "AAA 0");
  EXPECT_EQ(by_rule("AAA0BBB,J60/0,J300/0", utc(2028, 3, 1)), "BBB 60");
  EXPECT_EQ(by_rule("AAA0BBB,59/0,300/0", utc(2028, 2, 29)), "BBB 60");
  EXPECT_EQ(by_rule("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", utc(2030, 3, 31, 0, 59)), "-02 -120");
  EXPECT_EQ(by_rule("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", utc(2030, 3, 31, 1)), "-01 -60");
  EXPECT_EQ(by_rule("<+0545>-5:45", utc(2030, 1, 1)), "+0545 345");
}

TEST(PosixRule, RefusesRubbish) {
  for (const auto* text :
       {"", "CET", "C-1", "CET-25", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
        "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0/168",
        "CET-1CEST,M3.5.0,M10.5.0,", "<CET-1", "CET-1CEST,J0,J366", "CET-1:60", "CET--1"}) {
    EXPECT_FALSE(PosixRule::parse(text)) << text;
  }
}

std::string big_endian(std::int64_t value, int bytes) {
  std::string out;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    out += static_cast<char>((value >> shift) & 0xFF);
  }
  return out;
}

std::string header(char version, int transitions, int types, int names) {
  std::string out = "TZif";
  out += version;
  out += std::string(15, '\0');
  for (const int count : {0, 0, 0, transitions, types, names}) out += big_endian(count, 4);
  return out;
}

// Two types, one transition at the start of 1970.
std::string body(int time_bytes) {
  std::string out = big_endian(0, time_bytes) + '\1';
  out += big_endian(-1800, 4) + '\0' + '\0';
  out += big_endian(3600, 4) + '\0' + '\4';
  return out + std::string("OLD\0NEW\0", 8);
}

TEST(Zone, ReadsTheTableOfEveryVersion) {
  const auto first = Zone::parse(header('\0', 1, 2, 8) + body(4));
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(local(first->at(utc(1969, 12, 31, 23, 59, 59))), "OLD -30");
  EXPECT_EQ(local(first->at(utc(1970, 1, 1))), "NEW 60");
  EXPECT_EQ(local(first->at(utc(2050, 1, 1))), "NEW 60");

  const std::string two_blocks =
      header('2', 1, 2, 8) + body(4) + header('2', 1, 2, 8) + body(8) + "\nABC-2\n";
  const auto second = Zone::parse(two_blocks);
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(local(second->at(utc(1960, 1, 1))), "OLD -30");
  EXPECT_EQ(local(second->at(utc(1970, 1, 1))), "ABC 120");
}

TEST(Zone, RefusesBrokenFilesAtEveryLength) {
  const std::string whole =
      header('2', 1, 2, 8) + body(4) + header('2', 1, 2, 8) + body(8) + "\nABC-2\n";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(Zone::parse(whole.substr(0, length))) << length;
  }
  EXPECT_FALSE(Zone::parse(header('\0', -1, -1, -1)));
  EXPECT_FALSE(Zone::parse(header('\0', 1, 1, 8) + body(4)));
  auto wrong_type = header('\0', 1, 2, 8) + body(4);
  wrong_type[44 + 4] = '\7';
  EXPECT_FALSE(Zone::parse(wrong_type));
}

TEST(LoadZone, RefusesNamesThatAreNone) {
  for (const auto* name : {"", "/etc/passwd", "../../etc/passwd", "Europe/../UTC", "Europe//Berlin",
                           "Europe/", "Eur ope", "zone.tab", "Europe\\Berlin", "Zürich"}) {
    const auto zone = load_zone(name);
    ASSERT_FALSE(zone) << name;
    EXPECT_EQ(zone.error().code, Code::invalid_params);
  }
  EXPECT_FALSE(load_zone(std::string(kMaxZoneNameBytes + 1, 'a')));
}

TEST(LoadZone, ReportsAMissingDatabase) {
  const auto zone = load_zone("Europe/Berlin", "/nowhere/zoneinfo");
  ASSERT_FALSE(zone);
  EXPECT_EQ(zone.error().code, Code::unavailable);
  EXPECT_NE(zone.error().message.find("install tzdata"), std::string::npos);
}

class SystemZones : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(std::filesystem::path(kZoneDirectory) / "Europe/Berlin")) {
      GTEST_SKIP() << "tzdata is not installed";
    }
  }

  static std::string in(std::string_view name, sys_seconds moment) {
    const auto zone = load_zone(name);
    return zone ? local(zone->at(moment)) : zone.error().message;
  }
};

TEST_F(SystemZones, ShowSummerAndWinter) {
  EXPECT_EQ(in("Europe/Berlin", utc(2026, 7, 1)), "CEST 120");
  EXPECT_EQ(in("Europe/Berlin", utc(2026, 11, 15)), "CET 60");
  EXPECT_EQ(in("Europe/Berlin", utc(2026, 3, 29, 0, 59, 59)), "CET 60");
  EXPECT_EQ(in("Europe/Berlin", utc(2026, 3, 29, 1)), "CEST 120");
  EXPECT_EQ(in("America/New_York", utc(2026, 7, 1)), "EDT -240");
  EXPECT_EQ(in("America/New_York", utc(2026, 1, 1)), "EST -300");
  EXPECT_EQ(in("Asia/Kolkata", utc(2026, 1, 1)), "IST 330");
}

TEST_F(SystemZones, ReachBackAndBeyondTheTable) {
  EXPECT_EQ(in("Europe/Berlin", utc(2090, 7, 1)), "CEST 120");
  EXPECT_EQ(in("Europe/Berlin", utc(2090, 1, 1)), "CET 60");
  EXPECT_EQ(in("America/New_York", utc(2090, 7, 1)), "EDT -240");
  EXPECT_EQ(in("America/New_York", utc(1944, 7, 1)), "EWT -240");
  EXPECT_EQ(in("Europe/Berlin", utc(1947, 6, 1)), "CEMT 180");
}

TEST_F(SystemZones, DirectoriesAndUnknownNamesAreNoZones) {
  EXPECT_TRUE(in("Europe", utc(2026, 1, 1)).starts_with("there is no time zone 'Europe'"));
  EXPECT_TRUE(in("Mars/Base", utc(2026, 1, 1)).starts_with("there is no time zone 'Mars/Base'"));
}

}  // namespace
}  // namespace patchbay
