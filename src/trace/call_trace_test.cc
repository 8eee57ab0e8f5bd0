#include "trace/call_trace.h"

#include <gtest/gtest.h>

namespace patchbay::trace {
namespace {

constexpr std::string_view kTrace = "0af7651916cd43dd8448eb211c80319c";
constexpr std::string_view kSampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
constexpr std::string_view kUnsampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";
constexpr std::string_view kOther = "00-11111111111111111111111111111111-2222222222222222-01";
const Sampling kOn{.enabled = true};
const Sampling kOff;

std::vector<std::string> stage_names(const CallTrace& trace) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < trace.stages().count; ++i) {
    names.emplace_back(name_of(trace.stages().stages[i].stage));
  }
  return names;
}

TEST(CallTrace, ContinuesTheTraceOfItsParent) {
  CallTrace trace;
  trace.begin({.traceparent = kSampled, .tracestate = "a=b"}, kOn, false);
  EXPECT_TRUE(trace.is_recorded());
  EXPECT_EQ(to_hex(trace.context().trace), kTrace);
  EXPECT_NE(trace.context().span, trace.parent()->span);
  EXPECT_TRUE(trace.context().sampled);
  EXPECT_EQ(trace.for_upstream().tracestate(), "a=b");
}

TEST(CallTrace, BeginsOneWithoutAParent) {
  CallTrace trace;
  trace.begin({.tracestate = "a=b", .baggage = "k=v"}, kOn, false);
  EXPECT_TRUE(trace.context().valid());
  EXPECT_FALSE(trace.parent());
  EXPECT_EQ(trace.for_upstream().tracestate(), "") << "it is about a trace that is not there";
  EXPECT_EQ(trace.for_upstream().baggage(), "k=v");
}

TEST(CallTrace, HeadersComeBeforeTheMessage) {
  CallTrace both({.traceparent = kSampled});
  both.begin({.traceparent = kOther, .tracestate = "of=other"}, kOff, false);
  EXPECT_EQ(both.for_upstream().traceparent(), kSampled);
  EXPECT_EQ(both.for_upstream().tracestate(), "");
  CallTrace malformed({.traceparent = "nonsense", .tracestate = "a=b"});
  malformed.begin({.traceparent = kOther}, kOff, false);
  EXPECT_EQ(malformed.for_upstream().traceparent(), kOther);
}

TEST(CallTrace, EachAttemptIsAParentOfItsOwn) {
  CallTrace trace;
  trace.begin({.traceparent = kSampled}, kOn, false);
  trace.begin_attempt();
  const std::string first(trace.for_upstream().traceparent());
  trace.leave(true);
  trace.begin_attempt();
  const std::string second(trace.for_upstream().traceparent());
  trace.leave();
  EXPECT_NE(first, second);
  EXPECT_TRUE(first.starts_with("00-" + std::string(kTrace)));
  const StageTimes& stages = trace.stages();
  ASSERT_EQ(stages.count, 2);
  EXPECT_TRUE(stages.stages[0].failed);
  EXPECT_FALSE(stages.stages[1].failed);
  EXPECT_EQ(first.substr(36, 16), to_hex(stages.stages[0].span));
  EXPECT_EQ(second.substr(36, 16), to_hex(stages.stages[1].span));
}

TEST(CallTrace, QuestionsAreBelowTheAttemptThatEndedWithThem) {
  CallTrace trace;
  trace.begin({.traceparent = kSampled}, kOn, false);
  trace.enter(Stage::approve);
  const std::size_t approval = trace.begin_question();
  trace.begin_attempt();
  trace.leave();
  const std::size_t after = trace.begin_question();
  const auto& stages = trace.stages().stages;
  EXPECT_EQ(stages[approval].parent, trace.context().span) << "nothing was sent yet";
  EXPECT_EQ(stages[after].parent, stages[2].span);
}

TEST(CallTrace, OffPassesOnWhatTheClientSent) {
  CallTrace trace;
  trace.begin({.traceparent = kUnsampled, .tracestate = "a=b"}, kOff, false);
  EXPECT_FALSE(trace.is_recorded());
  EXPECT_FALSE(trace.replaces_meta());
  trace.begin_attempt();
  EXPECT_EQ(trace.for_upstream().traceparent(), kUnsampled);
  EXPECT_TRUE(trace.for_client(trace.begin_question()).empty());
  EXPECT_EQ(trace.stages().count, 0);
  CallTrace beside({.traceparent = kUnsampled});
  beside.begin({}, kOff, false);
  EXPECT_TRUE(beside.replaces_meta()) << "the message must have it too";
}

TEST(CallTrace, HostileTextIsNeverPassedOn) {
  const std::string many(2 * kMaxTracestateMembers, ',');
  const std::string large(kMaxBaggage + 1, 'b');
  for (const Sampling& sampling : {kOn, kOff}) {
    for (const std::string_view state : {std::string_view("a=b\r\nx: y"), std::string_view(many)}) {
      CallTrace trace;
      trace.begin({.traceparent = kSampled, .tracestate = state, .baggage = large}, sampling,
                  false);
      EXPECT_TRUE(trace.replaces_meta());
      EXPECT_EQ(trace.for_upstream().tracestate(), "");
      EXPECT_EQ(trace.for_upstream().baggage(), "");
    }
  }
}

TEST(CallTrace, StagesFollowEachOther) {
  CallTrace trace;
  trace.begin({}, kOff, true);
  trace.enter(Stage::limit);
  trace.enter(Stage::route);
  trace.enter(Stage::queue);
  trace.begin_attempt();
  const std::size_t question = trace.begin_question();
  trace.end_question(question);
  trace.leave();
  trace.end();
  EXPECT_EQ(stage_names(trace),
            (std::vector<std::string>{"limit", "route", "queue", "attempt", "ask"}));
  const StageTimes& stages = trace.stages();
  for (std::size_t i = 0; i + 1 < 4; ++i) {
    EXPECT_EQ(stages.stages[i].began_ns + stages.stages[i].took_ns, stages.stages[i + 1].began_ns);
  }
  EXPECT_EQ(stages.stages[3].began_ns + stages.stages[3].took_ns, trace.took().count());
  EXPECT_GE(stages.stages[4].took_ns, 0);
  EXPECT_LE(stages.stages[4].took_ns, stages.stages[3].took_ns);
  EXPECT_EQ(stages.stages[3].span, SpanId()) << "nobody continues it without tracing";
}

TEST(CallTrace, QuestionsBelongToTheirCause) {
  CallTrace trace;
  trace.begin({.traceparent = kSampled}, kOn, false);
  trace.begin_attempt();
  const SpanId attempt = trace.stages().stages[0].span;
  const std::string theirs = "00-" + std::string(kTrace) + "-00000000000000aa-01";
  const auto parent = [&](std::string_view cause) {
    return trace.stages().stages[trace.begin_question(cause)].parent;
  };
  EXPECT_EQ(parent(""), attempt);
  EXPECT_EQ(parent(kOther), attempt) << "of another trace";
  EXPECT_EQ(to_hex(parent(theirs)), "00000000000000aa");
}

TEST(CallTrace, AuthenticationCameBeforeTheCall) {
  const Time now = std::chrono::steady_clock::now();
  CallTrace trace({}, {now - std::chrono::milliseconds(5), now - std::chrono::milliseconds(2)});
  trace.begin({}, kOff, true);
  trace.enter(Stage::limit);
  EXPECT_EQ(stage_names(trace), (std::vector<std::string>{"authenticate", "limit"}));
  EXPECT_LT(trace.stages().stages[0].began_ns, 0);
  EXPECT_EQ(trace.stages().stages[0].took_ns, 3'000'000);
}

TEST(CallTrace, FurtherStagesAreCounted) {
  CallTrace trace;
  trace.begin({}, kOn, true);
  for (std::size_t i = 0; i < kMaxStages + 3; ++i) trace.begin_attempt();
  EXPECT_EQ(trace.stages().count, kMaxStages);
  EXPECT_EQ(trace.stages().dropped, 3);
  EXPECT_EQ(trace.for_upstream().traceparent(), to_traceparent(trace.context()))
      << "an attempt that is not stored is nobody's parent";
}

TEST(CallTrace, IsKnownByItsParentOrIfSampled) {
  CallTrace root;
  root.begin({}, kOff, true);
  EXPECT_FALSE(root.known_trace());
  CallTrace sampled;
  sampled.begin({}, kOn, false);
  EXPECT_EQ(sampled.known_trace(), sampled.context().trace);
  CallTrace child;
  child.begin({.traceparent = kUnsampled}, kOff, true);
  EXPECT_EQ(to_hex(*child.known_trace()), kTrace);
}

TEST(Sampling, FollowsTheParent) {
  const auto sampled = parse_traceparent(kSampled);
  const auto unsampled = parse_traceparent(kUnsampled);
  const Sampling never{.enabled = true, .ratio = 0};
  EXPECT_TRUE(never.samples(sampled->trace, &*sampled));
  EXPECT_FALSE(kOn.samples(unsampled->trace, &*unsampled));
  EXPECT_FALSE(never.samples(sampled->trace, nullptr));
  EXPECT_TRUE(kOn.samples(sampled->trace, nullptr));
  const Sampling own{.enabled = true, .ratio = 1, .follow_parent = false};
  EXPECT_TRUE(own.samples(unsampled->trace, &*unsampled));
  EXPECT_FALSE(kOff.samples(sampled->trace, &*sampled));
}

TEST(Sampling, TakesItsShare) {
  const Sampling half{.enabled = true, .ratio = 0.5};
  int taken = 0;
  for (int i = 0; i < 10'000; ++i) taken += half.samples(new_trace_id(), nullptr) ? 1 : 0;
  EXPECT_GT(taken, 4'500);
  EXPECT_LT(taken, 5'500);
}

TEST(Sampling, KeepsWhatFailedOrWasSlow) {
  using std::chrono::seconds;
  const Sampling sampling{.enabled = true, .ratio = 0, .failed = true, .slow = seconds(1)};
  EXPECT_TRUE(sampling.keeps(true, seconds(0)));
  EXPECT_TRUE(sampling.keeps(false, seconds(1)));
  EXPECT_FALSE(sampling.keeps(false, std::chrono::milliseconds(999)));
  const Sampling neither{.enabled = true, .failed = false};
  EXPECT_FALSE(neither.keeps(true, seconds(9)));
  EXPECT_FALSE(kOff.keeps(true, seconds(9)));
}

}  // namespace
}  // namespace patchbay::trace
