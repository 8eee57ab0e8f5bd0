#include "upstreams/kafka/reply.h"

#include <gtest/gtest.h>

#include "json/read.h"

namespace patchbay::upstreams {
namespace {

using Kind = AgentReply::Kind;

TEST(KafkaReply, ABareValueIsTheResult) {
  for (const std::string_view value :
       {R"({"a":1})", R"({"status":"shipped","order":7})", R"({"status":"ok","message":"m"})",
        R"({"status":7})", "[1]", "\"text\"", "null"}) {
    const AgentReply reply = read_agent_reply(value);
    EXPECT_EQ(reply.kind, Kind::completed) << value;
    EXPECT_EQ(reply.result, value);
  }
}

TEST(KafkaReply, AnEnvelopeHasAStatus) {
  const AgentReply done =
      read_agent_reply(R"({"requestIndex":0,"status":"COMPLETED","payload":{"a":1}})");
  EXPECT_EQ(done.kind, Kind::completed);
  EXPECT_EQ(done.result, R"({"a":1})");
  const AgentReply failed =
      read_agent_reply(R"({"status":"ERROR","message":null,"exception":"it broke"})");
  EXPECT_EQ(failed.kind, Kind::failed);
  EXPECT_EQ(failed.message, "it broke");
  EXPECT_EQ(read_agent_reply(R"({"status":"RUNNING"})").kind, Kind::going);
  EXPECT_EQ(read_agent_reply(R"({"status":"completed","payload":1})").kind, Kind::completed);
  EXPECT_EQ(read_agent_reply(R"({"requestIndex":0,"status":"Rejected"})").kind, Kind::failed);
  EXPECT_EQ(read_agent_reply(R"({"status":"running","order":1})").kind, Kind::completed);
  EXPECT_EQ(read_agent_reply(R"({"requestIndex":0,"status":"half way"})").kind, Kind::going);
  EXPECT_EQ(read_agent_reply(R"({"status":"INPUT_REQUIRED","message":"?"})").kind, Kind::asks);
}

TEST(KafkaReply, BecomesAResult) {
  const auto reply = agent_result({Kind::completed, R"({"a":1})"}, "the-id", false);
  EXPECT_EQ(reply.body,
            R"({"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1},)"
            R"("_meta":{"patchbay/correlationId":"the-id"}})");
  const auto text = agent_result({Kind::completed, "\"hi\""}, "", false);
  EXPECT_EQ(text.body, R"({"content":[{"type":"text","text":"hi"}]})");
  const auto whole = agent_result({Kind::completed, R"({"content":[]})"}, "x", true);
  EXPECT_EQ(whole.body, R"({"content":[]})");
  const auto failed = agent_result({Kind::failed, "null", "no"}, "x", false);
  EXPECT_EQ(json::member(failed.body, "isError"), "true");
  EXPECT_EQ(json::member(failed.body, "_meta"), R"({"patchbay/correlationId":"x"})");
}

TEST(KafkaReply, BecomesProgress) {
  const AgentReply both =
      read_agent_reply(R"({"status":"STREAMING","message":"half","payload":{"part":1}})");
  EXPECT_EQ(progress_params(both, "\"t\"", 2),
            R"({"progressToken":"t","progress":2,"message":"half",)"
            R"("_meta":{"patchbay/payload":{"part":1}}})");
  const AgentReply payload = read_agent_reply(R"({"status":"STREAMING","payload":"part"})");
  EXPECT_EQ(progress_params(payload, "1", 1),
            R"({"progressToken":1,"progress":1,"message":"part"})");
  const AgentReply text = read_agent_reply(R"({"status":"RUNNING","message":"half"})");
  EXPECT_EQ(progress_params(text, "1", 1), R"({"progressToken":1,"progress":1,"message":"half"})");
}

TEST(KafkaReply, BecomesAQuestion) {
  const AgentReply asks =
      read_agent_reply(R"({"status":"INPUT_REQUIRED","message":"Size?",)"
                       R"("payload":{"requestedSchema":{"type":"object","properties":{}}}})");
  EXPECT_EQ(question_params(asks),
            R"({"message":"Size?","requestedSchema":{"type":"object","properties":{}}})");
  EXPECT_TRUE(question_params({Kind::asks, "null"}).contains("\"input\""));
}

std::string contents(std::string_view value, bool keeps_null = false) {
  auto reply = resource_result(value, "u", "text/plain", keeps_null);
  return reply ? reply->body : reply.error().message;
}

TEST(KafkaReply, BecomesAResource) {
  EXPECT_EQ(contents(R"({"type":"text","uri":"u","mimeType":"a/b","text":"t"})"),
            R"({"contents":[{"uri":"u","mimeType":"a/b","text":"t"}]})");
  EXPECT_EQ(contents(R"({"blob":"AAEC"})"),
            R"({"contents":[{"uri":"u","mimeType":"text/plain","blob":"AAEC"}]})");
  EXPECT_EQ(contents(R"({"text":null})"),
            R"({"contents":[{"uri":"u","mimeType":"text/plain","text":""}]})");
  EXPECT_EQ(contents(R"({"text":null})", true),
            R"({"contents":[{"uri":"u","mimeType":"text/plain","text":null}]})");
  EXPECT_EQ(contents(R"({"uri":"/u","text":"t"})"),
            R"({"contents":[{"uri":"u","mimeType":"text/plain","text":"t"}]})");
  EXPECT_EQ(contents(R"({"uri":"v","text":""})"),
            "the reply of the agent is about another resource");
  EXPECT_EQ(contents(R"({"type":"audio"})"), "the reply of the agent is neither text nor blob");
  EXPECT_EQ(contents(R"({"blob":"%"})"), "the reply of the agent has a blob that is not base64");
  EXPECT_EQ(contents("[]"), "the reply of the agent is not an object");
}

}  // namespace
}  // namespace patchbay::upstreams
