#include "mcp/question.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "json/read.h"
#include "testing/revisions.h"

namespace patchbay::mcp {
namespace {

constexpr std::string_view kElicit = "elicitation/create";
constexpr std::string_view kSample = "sampling/createMessage";
constexpr std::string_view kAll =
    R"({"roots":{},"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}}})";

// The question, or why it cannot be asked.
std::string asked(Revision to, std::string_view capabilities, std::string_view method,
                  std::string_view params) {
  const auto question = question_for(to, capabilities, method, params);
  if (!question) {
    EXPECT_EQ(question.error().code, Code::method_not_found);
    return question.error().message;
  }
  EXPECT_TRUE(question->empty() || json::check(*question)) << *question;
  return *question;
}

TEST(Question, IsAskedOnlyWhereItIsKnown) {
  EXPECT_EQ(asked(A, kAll, "roots/list", ""), "");
  EXPECT_EQ(asked(A, "{}", "roots/list", ""), "the client does not offer roots");
  EXPECT_EQ(asked(B, kAll, kElicit, "{}"), "the client does not offer elicitation/create");
  EXPECT_EQ(asked(D, R"({"roots":{}})", kSample, "{}"), "the client does not offer sampling");
  EXPECT_EQ(asked(D, kAll, "tools/call", "{}"), "the client does not offer tools/call");
}

TEST(Question, LeavesOutTasksAndForeignMeta) {
  const std::string params =
      R"({"task":{"ttl":1},"_meta":{"progressToken":1,"io.modelcontextprotocol/x":2,"mine":3}})";
  EXPECT_EQ(asked(D, kAll, "roots/list", params), R"({"_meta":{"progressToken":1,"mine":3}})");
  EXPECT_EQ(asked(E, kAll, "roots/list", params),
            R"({"_meta":{"io.modelcontextprotocol/x":2,"mine":3}})");
  EXPECT_EQ(asked(C, kAll, "roots/list", R"({"_meta":{"io.modelcontextprotocol/x":2}})"), "{}");
}

TEST(Elicitation, ByUrlNeedsTheCapability) {
  const std::string params = R"({"mode":"url","message":"m","url":"u","elicitationId":"i"})";
  EXPECT_EQ(asked(D, kAll, kElicit, params), params);
  EXPECT_EQ(asked(E, kAll, kElicit, params), R"({"mode":"url","message":"m","url":"u"})");
  const std::string no = "the client does not offer elicitation by URL";
  EXPECT_EQ(asked(C, kAll, kElicit, params), no);
  EXPECT_EQ(asked(D, R"({"elicitation":{}})", kElicit, params), no);
  EXPECT_EQ(asked(D, R"({"elicitation":{"form":{}}})", kElicit, params), no);
}

TEST(Elicitation, ByUrlHasAnIdWithASession) {
  const std::string made = asked(D, kAll, kElicit, R"({"mode":"url","message":"m","url":"u"})");
  EXPECT_EQ(json::string_member(made, "elicitationId").value_or("").size(), 32U);
}

TEST(Elicitation, ByFormIsWhatAnEmptyCapabilityMeans) {
  const std::string params = R"({"message":"m","requestedSchema":{"type":"object"}})";
  EXPECT_EQ(asked(D, R"({"elicitation":{}})", kElicit, params), params);
  EXPECT_EQ(asked(E, R"({"elicitation":{}})", kElicit, params), params);
  EXPECT_EQ(asked(D, R"({"elicitation":{"url":{}}})", kElicit, params),
            "the client does not offer elicitation by form");
  EXPECT_EQ(asked(D, R"({"elicitation":true})", kElicit, params),
            "the client does not offer elicitation by form");
}

TEST(Elicitation, FormsAreConvertedForOlderRevisions) {
  const std::string params =
      R"({"mode":"form","message":"m","requestedSchema":{"$schema":"s","type":"object","properties":{)"
      R"("a":{"type":"string","oneOf":[{"const":"x","title":"X"},{"const":"y"}],"default":"x"},)"
      R"("b":{"type":"boolean","default":true},"c":{"type":"integer","default":1},)"
      R"("d":{"oneOf":[],"type":"string","enum":["q"]}},"required":["a"]}})";
  EXPECT_EQ(asked(C, kAll, kElicit, params),
            R"({"message":"m","requestedSchema":{"type":"object","properties":{)"
            R"("a":{"enum":["x","y"],"enumNames":["X","y"],"type":"string"},)"
            R"("b":{"type":"boolean","default":true},"c":{"type":"integer"},)"
            R"("d":{"type":"string","enum":["q"]}},"required":["a"]}})");
  EXPECT_EQ(asked(D, kAll, kElicit, params), params);
}

TEST(Elicitation, MultipleChoiceHasNoOlderForm) {
  const std::string params = R"({"message":"m","requestedSchema":{"type":"object","properties":)"
                             R"({"a":{"type":"array","items":{"type":"string","enum":["x"]}}}}})";
  EXPECT_EQ(asked(C, kAll, kElicit, params),
            "the client does not offer a choice of several values");
  EXPECT_EQ(asked(E, kAll, kElicit, params), params);
}

TEST(Sampling, OffersToolsOnlyToClientsThatAcceptThem) {
  const std::string params =
      R"({"messages":[],"maxTokens":1,"tools":[{"name":"t","execution":{}}],"toolChoice":{}})";
  const std::string without = R"({"messages":[],"maxTokens":1})";
  EXPECT_EQ(asked(C, kAll, kSample, params), without);
  EXPECT_EQ(asked(D, R"({"sampling":{}})", kSample, params), without);
  EXPECT_EQ(asked(D, kAll, kSample, params), params);
  EXPECT_EQ(asked(E, kAll, kSample, params),
            R"({"messages":[],"maxTokens":1,"tools":[{"name":"t"}],"toolChoice":{}})");
}

TEST(Sampling, IsRefusedIfItWouldBeAnotherQuestion) {
  const auto with = [](std::string_view block) {
    return fmt::format(R"({{"messages":[{{"role":"user","content":{}}}]}})", block);
  };
  const std::string use = with(R"({"type":"tool_use","id":"i","name":"n","input":{}})");
  EXPECT_EQ(asked(C, kAll, kSample, use), "the client does not offer sampling with tools");
  EXPECT_EQ(asked(D, R"({"sampling":{}})", kSample, with(R"([{"type":"tool_result"}])")),
            "the client does not offer sampling with tools");
  EXPECT_EQ(asked(D, kAll, kSample, use), use);
  const std::string audio = with(R"({"type":"audio","data":"","mimeType":"m"})");
  EXPECT_EQ(asked(A, kAll, kSample, audio), "the client does not offer sampling with audio");
  EXPECT_EQ(asked(B, kAll, kSample, audio), audio);
}

TEST(Sampling, BlocksBecomeMessages) {
  const std::string params =
      R"({"messages":[{"content":[{"type":"text","text":"a","_meta":{}},{"type":"text","text":"b"}],)"
      R"("role":"assistant","_meta":{}},{"role":"user","content":[]}]})";
  EXPECT_EQ(asked(B, kAll, kSample, params),
            R"({"messages":[{"role":"assistant","content":{"type":"text","text":"a"}},)"
            R"({"role":"assistant","content":{"type":"text","text":"b"}},)"
            R"({"role":"user","content":{"type":"text","text":""}}]})");
  EXPECT_EQ(asked(D, kAll, kSample, params), params);
}

TEST(Sampling, IncludesContextOnlyWhereDeclared) {
  const std::string params = R"({"includeContext":"allServers","messages":[]})";
  const std::string none = R"({"includeContext":"none","messages":[]})";
  EXPECT_EQ(asked(C, R"({"sampling":{}})", kSample, params), params);
  EXPECT_EQ(asked(D, R"({"sampling":{}})", kSample, params), none);
  EXPECT_EQ(asked(E, R"({"sampling":{"context":{}}})", kSample, params), params);
}

TEST(Answer, IsOneBlockForOlderServers) {
  const auto sampled = [](Revision to, std::string_view content) {
    return answer_for(to, kSample, fmt::format(R"({{"role":"assistant","content":{}}})", content));
  };
  const std::string one = R"([{"type":"text","text":"a","_meta":{}}])";
  EXPECT_EQ(sampled(D, one), R"({"role":"assistant","content":)" + one + "}");
  EXPECT_EQ(sampled(C, one),
            R"({"role":"assistant","content":{"type":"text","text":"a","_meta":{}}})");
  EXPECT_EQ(sampled(B, one), R"({"role":"assistant","content":{"type":"text","text":"a"}})");
  EXPECT_EQ(
      sampled(C, R"([{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}])"),
      R"({"role":"assistant","content":{"type":"text","text":"a\n[image left out]\nb"}})");
  EXPECT_EQ(sampled(A, R"({"type":"audio","mimeType":"m","data":""})"),
            R"({"role":"assistant","content":{"type":"text",)"
            R"("text":"[audio of type m left out: revision 2024-11-05 has none]"}})");
}

TEST(Answer, LeavesOutWhatTheServerDoesNotKnow) {
  const std::string roots =
      R"({"resultType":"complete","roots":[{"uri":"u","_meta":{}}],"_meta":{"io.modelcontextprotocol/x":1}})";
  EXPECT_EQ(answer_for(B, "roots/list", roots), R"({"roots":[{"uri":"u"}]})");
  EXPECT_EQ(answer_for(D, "roots/list", roots), R"({"roots":[{"uri":"u","_meta":{}}]})");
  EXPECT_EQ(answer_for(E, "roots/list", roots), roots);
  const std::string elicited = R"({"action":"accept","content":{"content":[{"_meta":1}]}})";
  EXPECT_EQ(answer_for(A, kElicit, elicited), elicited);
}

TEST(UrlQuestions, AreMadeOfTheErrorThatWantsUrlsOpened) {
  EXPECT_EQ(
      url_questions(R"({"code":-32042,"message":"m","data":{"elicitations":[)"
                    R"({"mode":"url","elicitationId":"e","url":"https://a","message":"go"}]}})"),
      R"({"resultType":"input_required","inputRequests":{"url-1":{"method":)"
      R"("elicitation/create","params":{"mode":"url","message":"go","url":"https://a"}}}})");
  EXPECT_FALSE(url_questions(R"({"code":-32042,"message":"m"})"));
  EXPECT_FALSE(url_questions(R"({"code":-32000,"data":{"elicitations":[{"url":"u"}]}})"));
}

}  // namespace
}  // namespace patchbay::mcp
