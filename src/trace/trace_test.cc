#include <gtest/gtest.h>

#include "trace/call_history.h"
#include "trace/context.h"
#include "trace/span_queue.h"

namespace patchbay::trace {
namespace {

constexpr std::string_view kParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST(Traceparent, IsReadAndWritten) {
  const auto context = parse_traceparent(kParent);
  ASSERT_TRUE(context);
  EXPECT_TRUE(context->sampled);
  EXPECT_EQ(to_hex(context->trace), "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(to_hex(context->span), "b7ad6b7169203331");
  EXPECT_EQ(to_traceparent(*context), kParent);
}

TEST(Traceparent, OfLaterVersionsMayBeLonger) {
  EXPECT_TRUE(parse_traceparent("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00-x"));
  EXPECT_FALSE(parse_traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00-x"));
}

TEST(Traceparent, MalformedIsNone) {
  for (const std::string_view text :
       {"", "00", "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}) {
    EXPECT_FALSE(parse_traceparent(text)) << text;
  }
}

TEST(Ids, DifferAndAreNotZero) {
  EXPECT_NE(new_trace_id(), new_trace_id());
  EXPECT_TRUE((SpanContext{new_trace_id(), new_span_id(), false}.valid()));
  EXPECT_FALSE(SpanContext().valid());
}

TEST(Tracestate, IsPassedOnIfAHeaderMayHaveIt) {
  EXPECT_EQ(usable_tracestate("a=b,c=d"), "a=b,c=d");
  EXPECT_EQ(usable_tracestate("a=b\r\nx: y"), "");
  EXPECT_EQ(usable_tracestate(std::string(kMaxTracestate + 1, 'a')), "");
}

TEST(Tracestate, IsMalformedWithOneMalformedMember) {
  const std::string longest_key(256, 'z');
  const std::string longest_tenant = std::string(241, 't') + "@" + std::string(14, 'v');
  for (const std::string& good :
       {std::string("foo=1 \t , \t bar=2, \t baz=3"), std::string("foo=1,,bar=2,"),
        std::string("0a-_*/=0 !~"), longest_key + "=1", longest_tenant + "=1"}) {
    EXPECT_EQ(usable_tracestate(good), good);
  }
  for (const std::string& bad :
       {std::string("foo"), std::string("foo =1"), std::string("FOO=1"), std::string("foo.bar=1"),
        std::string("foo@=1,bar=2"), std::string("@foo=1"), std::string("foo@@bar=1"),
        std::string("a@b@c=1"), std::string("foo=bar=baz"), std::string("foo=,bar=3"),
        "z" + longest_key + "=1", "t" + longest_tenant + "=1", longest_tenant + "v=1",
        "a=" + std::string(257, 'x')}) {
    EXPECT_EQ(usable_tracestate(bad), "") << bad;
  }
}

CallRecord record(std::uint8_t trace) {
  CallRecord made;
  made.context.trace[15] = trace;
  made.context.span[0] = 1;
  return made;
}

std::vector<int> traces(const CallHistory& history) {
  std::vector<int> found;
  for (const auto& one : history.since(0, 100))
    found.push_back(one.call.record().context.trace[15]);
  return found;
}

TEST(CallHistory, KeepsTheLastOnes) {
  CallHistory history(3);
  for (std::uint8_t i = 1; i <= 5; ++i) history.put(record(i));
  EXPECT_EQ(traces(history), (std::vector{3, 4, 5}));
  EXPECT_EQ(history.since(4, 100).size(), 1U);
  EXPECT_EQ(history.since(0, 100).front().number, 2U);
}

TEST(CallHistory, ChangesItsSize) {
  CallHistory history(3);
  for (std::uint8_t i = 1; i <= 5; ++i) history.put(record(i));
  history.resize(4);
  EXPECT_EQ(traces(history), (std::vector{3, 4, 5}));
  history.put(record(6));
  history.put(record(7));
  EXPECT_EQ(traces(history), (std::vector{4, 5, 6, 7}));
  history.resize(2);
  EXPECT_EQ(traces(history), (std::vector{6, 7}));
  history.resize(0);
  history.put(record(8));
  EXPECT_EQ(traces(history), std::vector<int>());
}

TEST(CallHistory, KnowsItsMemory) {
  CallHistory history(2);
  EXPECT_EQ(history.bytes(), 0U);
  const std::string upstream(64, 'u');
  CallRecord large = record(1);
  large.upstream = large.upstream_kind = upstream;
  history.put(large);
  const std::size_t one = history.bytes();
  EXPECT_GT(one, 128U + sizeof(CallNumbers));
  for (std::uint8_t i = 0; i < 6; ++i) history.put(large);
  EXPECT_EQ(history.bytes(), 2 * one);
  history.resize(1);
  EXPECT_EQ(history.bytes(), one);
}

ExportedCall exported(std::uint8_t trace) { return {.call = StoredCall(record(trace))}; }

TEST(SpanQueue, DropsWhatExceedsItsBound) {
  SpanQueue queue;
  queue.put(exported(1));
  EXPECT_EQ(queue.dropped(), 0U);  // Nothing is exported.
  queue.set_bound(2);
  int woken = 0;
  queue.set_wake([&] { ++woken; });
  for (std::uint8_t i = 1; i <= 3; ++i) queue.put(exported(i));
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(queue.dropped(), 1U);
  SpanQueue::Batch batch;
  EXPECT_TRUE(queue.take(batch));
  EXPECT_EQ(batch.size(), 2U);
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_EQ(queue.bytes(), 0U);
  EXPECT_FALSE(queue.take(batch));
  EXPECT_TRUE(batch.empty());
}

TEST(SpanQueue, YieldsBatches) {
  SpanQueue queue;
  queue.set_bound(3 * SpanQueue::kMaxBatch);
  for (std::size_t i = 0; i < SpanQueue::kMaxBatch + 1; ++i) queue.put(exported(1));
  SpanQueue::Batch batch;
  EXPECT_TRUE(queue.take(batch));
  EXPECT_EQ(batch.size(), SpanQueue::kMaxBatch);
  EXPECT_TRUE(queue.take(batch));
  EXPECT_EQ(batch.size(), 1U);
  EXPECT_FALSE(queue.take(batch));
}

TEST(SpanQueue, DropsTheNewestWhenItsBoundShrinks) {
  SpanQueue queue;
  queue.set_bound(1'000);
  for (std::size_t i = 0; i < 600; ++i) queue.put(exported(1));
  queue.set_bound(20);
  EXPECT_EQ(queue.size(), 20U);
  EXPECT_EQ(queue.bytes(), 20 * exported(1).bytes());
  EXPECT_EQ(queue.dropped(), 580U);
  queue.set_bound(0);
  EXPECT_FALSE(queue.enabled());
  EXPECT_EQ(queue.size(), 0U);
}

}  // namespace
}  // namespace patchbay::trace
