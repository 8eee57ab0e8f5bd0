#include "frontends/rest/answer.h"

#include <gtest/gtest.h>

namespace patchbay::frontends {
namespace {

using mcp::result_reply;

TEST(RestAnswer, ErrorsInBothDialects) {
  const Error unknown{Code::not_found, "unknown tool: \"x\""};
  const auto plain = error_answer(Dialect::plain, unknown);
  EXPECT_EQ(plain.status, 404);
  EXPECT_EQ(plain.body, R"({"error":"Not Found","message":"unknown tool: \"x\""})");
  EXPECT_EQ(
      error_answer(Dialect::mcp, unknown).body,
      R"({"error":{"code":-32602,"message":"unknown tool: \"x\"","data":{"reason":"not_found"}}})");
}

TEST(RestAnswer, TheStatusFollowsTheError) {
  const auto status = [](Code code) {
    return failure_answer(Dialect::plain, mcp::error_reply({code, "x"}), false).status;
  };
  EXPECT_EQ(status(Code::invalid_params), 400);
  EXPECT_EQ(status(Code::not_found), 404);
  EXPECT_EQ(status(Code::timeout), 504);
  EXPECT_EQ(status(Code::unavailable), 503);
  EXPECT_EQ(status(Code::upstream_failed), 502);
  EXPECT_EQ(status(Code::overloaded), 503);
  EXPECT_EQ(status(Code::cancelled), 503);
}

TEST(RestAnswer, AnErrorOfAnUpstreamIsABadGatewayUnlessItBlamesTheCaller) {
  mcp::Reply reply;
  reply.is_error = true;
  reply.body = R"({"code":-32602,"message":"no"})";
  EXPECT_EQ(failure_answer(Dialect::plain, reply, false).status, 400);
  EXPECT_EQ(failure_answer(Dialect::plain, reply, true).status, 404);
  reply.body = R"({"code":-32002,"message":"no"})";
  EXPECT_EQ(failure_answer(Dialect::mcp, reply, true).status, 404);
  reply.body = R"({"code":17,"message":"no"})";
  const auto answer = failure_answer(Dialect::mcp, reply, false);
  EXPECT_EQ(answer.status, 502);
  EXPECT_EQ(answer.body, R"({"error":{"code":17,"message":"no"}})");
}

TEST(RestAnswer, PlainResultsAreTheStructuredContentOrTheContent) {
  const std::string both =
      R"({"content":[{"type":"text","text":"3"}],"structuredContent":{"sum":3}})";
  EXPECT_EQ(tool_answer(Dialect::plain, result_reply(both), "/api/x").body, R"({"sum":3})");
  EXPECT_EQ(tool_answer(Dialect::mcp, result_reply(both), "/api/x").body, both);
  const auto content =
      tool_answer(Dialect::plain, result_reply(R"({"_meta":{},"content":[1]})"), "");
  EXPECT_EQ(content.body, R"({"content":[1]})");
}

TEST(RestAnswer, AToolThatFailedIsUnprocessable) {
  const std::string failed =
      R"({"content":[{"type":"text","text":"no"},{"type":"text","text":"luck"}],"isError":true})";
  const auto plain = tool_answer(Dialect::plain, result_reply(failed), "");
  EXPECT_EQ(plain.status, 422);
  EXPECT_EQ(plain.body, R"({"error":"Unprocessable Content","message":"no\nluck","content":)"
                        R"([{"type":"text","text":"no"},{"type":"text","text":"luck"}]})");
  EXPECT_EQ(tool_answer(Dialect::mcp, result_reply(failed), "").status, 200);
}

TEST(RestAnswer, AQuestionHasALink) {
  auto reply = result_reply(R"({"inputRequests":{"a":{}},"requestState":"patchbay.x"})");
  reply.type = mcp::ResultType::input_required;
  const auto answer = tool_answer(Dialect::plain, reply, "/api/t");
  EXPECT_EQ(answer.status, 202);
  EXPECT_EQ(answer.fields, "Location: /api/t/answers/patchbay.x\r\n");
  EXPECT_EQ(
      answer.body,
      R"({"status":"input_required","answer_at":"/api/t/answers/patchbay.x","questions":{"a":{}}})");
}

}  // namespace
}  // namespace patchbay::frontends
