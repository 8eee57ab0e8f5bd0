#include "frontends/admin/call_filter.h"

#include <gtest/gtest.h>

#include "frontends/admin/call_json.h"
#include "json/read.h"

namespace patchbay::frontends {
namespace {

trace::CallRecord some_call() {
  trace::CallRecord call;
  call.context.trace = *trace::parse_trace_id("4bf92f3577b34da6a3ce929d0e0e4736");
  call.context.span[0] = 1;
  call.began_unix_ns = 1'700'000'000'123'456'789;
  call.took_ns = 12'000'000;
  call.outcome = "tool_error";
  call.failed = true;
  call.method = "tools/call";
  call.target = "fake__echo";
  call.tool = "fake.echo";
  call.upstream = "fake";
  call.caller = "ann";
  call.caller_id = "token:1";
  static const std::array kStages{
      trace::StageTime{trace::Stage::attempt, true, 0, {1}, 1'000'000, 10'000'000}};
  call.stages = kStages;
  return call;
}

bool wants(QueryParameters query) {
  auto filter = take_filter(query);
  EXPECT_TRUE(filter) << filter.error().message;
  EXPECT_TRUE(query.empty());
  return filter && filter->wants(some_call());
}

TEST(CallFilter, SelectsByEachParameter) {
  EXPECT_TRUE(wants({}));
  for (const auto& [name, yes, no] :
       std::vector<std::array<std::string, 3>>{{"tool", "fake.*", "other.*"},
                                               {"tool", "fake__echo", "fake"},
                                               {"upstream", "f?ke", "other"},
                                               {"caller", "ann", "bob"},
                                               {"caller", "token:*", "ann2"},
                                               {"method", "tools/*", "prompts/*"},
                                               {"outcome", "!ok", "ok"},
                                               {"outcome", "tool_*", "timeout"},
                                               {"trace", "4BF92F35", "4bf92f36"},
                                               {"slower_than", "12ms", "13ms"}}) {
    EXPECT_TRUE(wants({{name, yes}})) << name << yes;
    EXPECT_FALSE(wants({{name, no}})) << name << no;
  }
}

TEST(CallFilter, SelectsTheCallsOfOneCaller) {
  CallFilter filter;
  filter.owner = "token:1";
  EXPECT_TRUE(filter.wants(some_call()));
  filter.owner = "ann";
  EXPECT_FALSE(filter.wants(some_call()));
}

TEST(CallFilter, RefusesWhatIsMalformed) {
  for (const auto& [name, value] : QueryParameters{
           {"slower_than", "fast"}, {"trace", "4bf92f3"}, {"tool", std::string(257, '*')}}) {
    QueryParameters query{{name, value}};
    EXPECT_FALSE(take_filter(query)) << name;
  }
  EXPECT_FALSE(check_taken({{"color", "red"}}, "tool"));
  EXPECT_FALSE(trace_prefix("4bf92f3z"));
  EXPECT_FALSE(trace_prefix(std::string(33, 'a')));
}

TEST(CallJson, HasTheStagesAndNothingThatATerminalObeys) {
  auto call = some_call();
  call.target = "evil\x1b]0;x\x07\u202e<script>\xff";
  const std::string text = call_json(call);
  ASSERT_TRUE(json::check(text)) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find("\u202e"), std::string::npos);
  EXPECT_EQ(json::string_member(text, "began"), "2023-11-14T22:13:20.123456789Z");
  EXPECT_EQ(json::member(text, "stages"),
            R"([{"stage":"attempt","began_ms":1.000000,"took_ms":10.000000,"failed":true,)"
            R"("span_id":"0100000000000000"}])");
  EXPECT_EQ(json::member(text, "took_ms"), "12.000000");
}

}  // namespace
}  // namespace patchbay::frontends
