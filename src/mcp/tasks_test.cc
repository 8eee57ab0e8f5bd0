#include "mcp/tasks.h"

#include <gtest/gtest.h>

#include "json/read.h"

namespace patchbay::mcp {
namespace {

TEST(TaskIds, LeadBackToTheirUpstream) {
  for (const std::string id : {"1", "", "a:b", "up:1", " \n\"", "\xC3\xA4"}) {
    const std::string listed = listed_task("up-1", id);
    const auto name = split_task(listed);
    ASSERT_TRUE(name);
    EXPECT_EQ(name->upstream, "up-1");
    EXPECT_EQ(name->id, id);
  }
  EXPECT_FALSE(split_task("no colon"));
  EXPECT_FALSE(split_task(":x"));
  EXPECT_FALSE(split_task(""));
}

TEST(TaskIds, AreRenamedWhereverTheyStand) {
  const std::string own =
      R"({"taskId":"a\"","task":{"taskId":"b","x":{"taskId":"not"}},"tasks":[{"taskId":"c"}],)"
      R"("_meta":{"io.modelcontextprotocol/related-task":{"taskId":"d"},"taskId":"not"},)"
      R"("content":[{"taskId":"not"}]})";
  const std::string listed =
      R"({"taskId":"up:a\"","task":{"taskId":"up:b","x":{"taskId":"not"}},"tasks":[{"taskId":"up:c"}],)"
      R"("_meta":{"io.modelcontextprotocol/related-task":{"taskId":"up:d"},"taskId":"not"},)"
      R"("content":[{"taskId":"not"}]})";
  const auto list = [](std::string_view id) { return listed_task("up", id); };
  EXPECT_EQ(with_task_ids(own, list), listed);
  EXPECT_EQ(with_task_ids(R"({"content":[]})", list), R"({"content":[]})");
}

TEST(TaskIds, NameTheTaskOfAMessage) {
  const std::string bare = with_related_task("", "t");
  EXPECT_EQ(bare, R"({"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t"}}})");
  EXPECT_EQ(related_task(bare), "t");
  EXPECT_EQ(with_related_task(bare, "u"), with_related_task("", "u"));
  EXPECT_EQ(related_task(R"({"_meta":{"a":1}})"), "");
  EXPECT_EQ(related_task(""), "");
}

TEST(TaskSupport, FollowsTheTool) {
  const std::string_view needs = R"({"name":"t","execution":{"taskSupport":"required"}})";
  EXPECT_EQ(task_support(needs), TaskSupport::required);
  EXPECT_EQ(task_support(R"({"name":"t"})"), TaskSupport::none);
  EXPECT_EQ(task_support(R"({"execution":{"taskSupport":"forbidden"}})"), TaskSupport::none);
  EXPECT_EQ(with_task_support(needs, TaskSupport::required), needs);
  EXPECT_EQ(with_task_support(needs, TaskSupport::none), R"({"name":"t"})");
  EXPECT_EQ(with_task_support(R"({"name":"t"})", TaskSupport::optional),
            R"({"execution":{"taskSupport":"optional"},"name":"t"})");
}

TEST(TaskForms, OfACreatedTask) {
  const std::string session =
      R"({"task":{"taskId":"t","status":"working","createdAt":"c","lastUpdatedAt":"l","ttl":60000,)"
      R"("pollInterval":500,"vendor":1},"_meta":{"mine":1}})";
  const std::string stateless =
      R"({"resultType":"task","taskId":"t","status":"working","createdAt":"c","lastUpdatedAt":"l",)"
      R"("ttlMs":60000,"pollIntervalMs":500,"vendor":1,"_meta":{"mine":1}})";
  EXPECT_EQ(stateless_created_task(session), stateless);
  EXPECT_EQ(session_created_task(stateless), session);
  EXPECT_EQ(session_created_task(R"({"taskId":"t","status":"working"})"),
            R"({"task":{"taskId":"t","status":"working","ttl":null}})");
}

TEST(TaskForms, AStatelessTaskHasItsOutcomeInside) {
  const auto state = [](std::string_view status) {
    return R"({"taskId":"t","status":")" + std::string(status) + R"(","ttl":null})";
  };
  const auto wanted = [](std::string_view status, std::string_view more) {
    return R"({"taskId":"t","status":")" + std::string(status) + R"(","ttlMs":null)" +
           std::string(more) + "}";
  };
  const Reply good = scanned_reply(
      R"({"content":[],"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t"}}})");
  const Reply failed_tool = scanned_reply(R"({"content":[],"isError":true})");
  Reply error = result_reply(R"({"code":-32603,"message":"m"})");
  error.is_error = true;

  EXPECT_EQ(stateless_task(state("working"), {}), wanted("working", ""));
  EXPECT_EQ(stateless_task(state("cancelled"), {}), wanted("cancelled", ""));
  EXPECT_EQ(stateless_task(state("completed"), {.outcome = &good}),
            wanted("completed", R"(,"result":{"resultType":"complete","content":[]})"));
  EXPECT_EQ(
      stateless_task(state("failed"), {.outcome = &failed_tool}),
      wanted("completed", R"(,"result":{"resultType":"complete","content":[],"isError":true})"));
  EXPECT_EQ(stateless_task(state("failed"), {.outcome = &error}),
            wanted("failed", R"(,"error":{"code":-32603,"message":"m"})"));
  EXPECT_EQ(stateless_task(state("input_required"), {.input_requests = R"({"k":{}})"}),
            wanted("input_required", R"(,"inputRequests":{"k":{}})"));
  // Not before it can be reported in full.
  for (const auto* const early : {"completed", "failed", "input_required"}) {
    EXPECT_EQ(stateless_task(state(early), {}), wanted("working", "")) << early;
  }
}

TEST(TaskForms, ATaskWithASessionHasOnlyItsState) {
  EXPECT_EQ(session_task(R"({"resultType":"complete","taskId":"t","status":"completed","ttlMs":1,)"
                         R"("result":{"content":[]},"_meta":{"io.modelcontextprotocol/x":1}})"),
            R"({"taskId":"t","status":"completed","ttl":1})");
  EXPECT_EQ(
      session_task(R"({"taskId":"t","status":"completed","ttlMs":1,"result":{"isError":true}})"),
      R"({"taskId":"t","status":"failed","ttl":1})");
  EXPECT_EQ(
      session_task(R"({"taskId":"t","status":"input_required","ttlMs":1,"inputRequests":{}})"),
      R"({"taskId":"t","status":"input_required","ttl":1})");
}

TEST(TaskForms, TheOutcomeIsTakenOut) {
  EXPECT_FALSE(outcome_of(R"({"taskId":"t","status":"working","ttlMs":1})"));
  const auto result = outcome_of(
      R"({"taskId":"t","status":"completed","result":{"resultType":"complete","content":[]}})");
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->is_error);
  EXPECT_EQ(result->type, ResultType::complete);
  EXPECT_EQ(result->body, R"({"resultType":"complete","content":[]})");
  const auto error = outcome_of(R"({"taskId":"t","status":"failed","error":{"code":1}})");
  ASSERT_TRUE(error && error->is_error);
  EXPECT_EQ(error->body, R"({"code":1})");
}

}  // namespace
}  // namespace patchbay::mcp
