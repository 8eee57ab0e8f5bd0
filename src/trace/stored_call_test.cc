#include "trace/stored_call.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace patchbay::trace {
namespace {

TEST(StoredCall, HasAllOfTheRecord) {
  const std::array stages{StageTime{Stage::limit, false, 0, {}, -5, 3, {}},
                          StageTime{Stage::attempt, true, 503, {1, 2}, 10, 20, {3, 4}}};
  std::string text = "tools/call";
  CallRecord record;
  record.context = {{1, 2}, {3, 4}, true};
  record.parent = {5};
  record.link = {{6}, {7}, false};
  record.began_unix_ns = 8;
  record.took_ns = 9;
  record.frontend = "rest";
  record.outcome = "tool_error";
  record.failed = true;
  record.error_code = -32602;
  record.bytes_in = 10;
  record.bytes_out = 11;
  record.dropped_stages = 12;
  record.method = text;
  record.caller_id = "ann";
  record.rule = "rules[0]";
  record.stages = stages;
  const StoredCall stored(record);
  text = "something else";  // The memory of the call is gone by the time that somebody reads it.
  const CallRecord found = stored.record();
  EXPECT_EQ(found.context, record.context);
  EXPECT_EQ(found.parent, record.parent);
  EXPECT_EQ(found.link, record.link);
  EXPECT_EQ(found.began_unix_ns, 8);
  EXPECT_EQ(found.took_ns, 9);
  EXPECT_EQ(found.frontend, "rest");
  EXPECT_EQ(found.outcome, "tool_error");
  EXPECT_TRUE(found.failed);
  EXPECT_EQ(found.error_code, -32602);
  EXPECT_EQ(found.bytes_in, 10U);
  EXPECT_EQ(found.bytes_out, 11U);
  EXPECT_EQ(found.dropped_stages, 12);
  EXPECT_EQ(found.method, "tools/call");
  EXPECT_EQ(found.target, "");
  EXPECT_EQ(found.caller_id, "ann");
  EXPECT_EQ(found.rule, "rules[0]");
  ASSERT_EQ(found.stages.size(), 2U);
  EXPECT_EQ(found.stages[0].stage, Stage::limit);
  EXPECT_EQ(found.stages[0].began_ns, -5);
  EXPECT_EQ(found.stages[1].http_status, 503);
  EXPECT_EQ(found.stages[1].span, (SpanId{1, 2}));
  EXPECT_EQ(found.stages[1].parent, (SpanId{3, 4}));
  EXPECT_TRUE(found.stages[1].failed);
}

TEST(StoredCall, CutsLongTextsBetweenCharacters) {
  const std::string method = std::string(63, 'm') + "\u00e4";
  const std::string target(1'000, 't');
  CallRecord record;
  record.method = method;
  record.target = target;
  record.rule = "r";
  const StoredCall stored(record);
  EXPECT_EQ(stored.record().method, std::string(63, 'm'));
  EXPECT_EQ(stored.record().target, std::string(192, 't'));
  EXPECT_EQ(stored.record().rule, "r");
}

TEST(StoredCall, ReplacesALongOneByAShortOne) {
  const std::string target(100, 't');
  CallRecord record;
  record.target = target;
  StoredCall stored(record);
  const std::size_t bytes = stored.bytes();
  record.target = "t";
  stored.store(record);
  EXPECT_EQ(stored.record().target, "t");
  EXPECT_EQ(stored.bytes(), bytes) << "the memory is used again";
}

}  // namespace
}  // namespace patchbay::trace
