#include "net/http/syntax/conditions.h"

#include <gtest/gtest.h>

namespace patchbay::net {
namespace {

using Kind = RequestedRanges::Kind;

RequestedRanges range(std::string_view text, std::uint64_t size = 10) {
  HttpFields fields;
  fields.add({"Range", text});
  return requested_ranges(fields, "\"a\"", size);
}

void expect_part(std::string_view text, std::uint64_t first, std::uint64_t last) {
  const auto got = range(text);
  ASSERT_EQ(got.kind, Kind::parts) << text;
  ASSERT_EQ(got.parts.size(), 1U) << text;
  EXPECT_EQ(got.parts[0].first, first) << text;
  EXPECT_EQ(got.parts[0].last, last) << text;
}

TEST(Conditions, OneRange) {
  expect_part("bytes=0-0", 0, 0);
  expect_part("bytes=2-5", 2, 5);
  expect_part("bytes=8-", 8, 9);
  expect_part("bytes=-3", 7, 9);
  expect_part("bytes=-99", 0, 9);
  expect_part("bytes=5-99", 5, 9);
  expect_part("Bytes=1-1", 1, 1);
  expect_part("bytes=1-1, 20-30", 1, 1);
}

TEST(Conditions, SeveralRanges) {
  const auto got = range("bytes=5-6 ,0-1,, -1,40-");
  ASSERT_EQ(got.kind, Kind::parts);
  ASSERT_EQ(got.parts.size(), 3U);
  EXPECT_EQ(got.parts[0].first, 5U);
  EXPECT_EQ(got.parts[1].last, 1U);
  EXPECT_EQ(got.parts[2].first, 9U);
  EXPECT_EQ(got.parts[2].size(), 1U);
  // Ranges that add up to more than there is yield the whole, once.
  EXPECT_EQ(range("bytes=0-9,0-9").kind, Kind::all);
  std::string many = "bytes=0-0";
  for (int i = 0; i < 16; ++i) many += ",1-1";
  EXPECT_EQ(range(many, 1000).kind, Kind::all);
}

TEST(Conditions, BeyondTheEnd) {
  EXPECT_EQ(range("bytes=10-").kind, Kind::none);
  EXPECT_EQ(range("bytes=-0").kind, Kind::none);
  EXPECT_EQ(range("bytes=0-", 0).kind, Kind::none);
  EXPECT_EQ(range("bytes=-1", 0).kind, Kind::none);
  EXPECT_EQ(range("bytes=10-11,12-").kind, Kind::none);
}

TEST(Conditions, WhatIsNoRangeIsIgnored) {
  for (const auto* const text :
       {"bytes=", "bytes=-", "bytes=a-b", "bytes=5-2", "bytes=0-1,4-3", "bytes=,", "items=0-1",
        "bytes=0", "bytes=99999999999999999999-"}) {
    EXPECT_EQ(range(text).kind, Kind::all) << text;
  }
}

TEST(Conditions, ARangeOfSomethingElseIsAll) {
  HttpFields fields;
  fields.add({"Range", "bytes=0-1"});
  fields.add({"If-Range", "\"b\""});
  EXPECT_EQ(requested_ranges(fields, "\"a\"", 10).kind, Kind::all);
  EXPECT_EQ(requested_ranges(fields, "\"b\"", 10).kind, Kind::parts);
}

TEST(Conditions, WhatTheClientHas) {
  HttpFields fields;
  EXPECT_FALSE(has_already(fields, "\"a\""));
  fields.add({"If-None-Match", "\"x\", W/\"a\""});
  EXPECT_TRUE(has_already(fields, "\"a\""));
  EXPECT_FALSE(has_already(fields, "\"b\""));
  HttpFields any;
  any.add({"If-None-Match", "*"});
  EXPECT_TRUE(has_already(any, "\"b\""));
}

TEST(Conditions, OnlyWhatTheClientRequests) {
  HttpFields fields;
  EXPECT_FALSE(wants_another(fields, "\"a\""));
  fields.add({"If-Match", "W/\"a\", \"b\""});
  EXPECT_TRUE(wants_another(fields, "\"a\""));
  EXPECT_FALSE(wants_another(fields, "\"b\""));
  HttpFields any;
  any.add({"If-Match", "*"});
  EXPECT_FALSE(wants_another(any, "\"b\""));
}

}  // namespace
}  // namespace patchbay::net
