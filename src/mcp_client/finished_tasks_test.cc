#include "mcp_client/finished_tasks.h"

#include <gtest/gtest.h>

#include "json/read.h"
#include "testing/manual_executor.h"

namespace patchbay::upstreams {
namespace {

TaskSettings settings(int most, std::uint64_t bytes) {
  TaskSettings made;
  made.keep = config::Duration(10'000);
  made.most = most;
  made.stored = config::Bytes{bytes};
  return made;
}

TEST(FinishedTasks, AreStoredAsLongAsRequested) {
  testing::ManualExecutor executor;
  FinishedTasks tasks(settings(10, 1000));
  const std::string soon = tasks.keep(mcp::result_reply(R"({"content":[]})"), 5'000).id;
  const std::string late = tasks.keep(mcp::scanned_reply(R"({"isError":true})"), 1'000'000).id;
  ASSERT_TRUE(tasks.find(soon) && tasks.find(late));
  EXPECT_EQ(json::string_member(tasks.find(soon)->state, "status"), "completed");
  EXPECT_EQ(json::member(tasks.find(soon)->state, "ttl"), "5000");
  EXPECT_EQ(json::string_member(tasks.find(late)->state, "status"), "failed");
  EXPECT_EQ(json::member(tasks.find(late)->state, "ttl"), "10000");
  EXPECT_EQ(tasks.find(late)->reply.body, R"({"isError":true})");
  EXPECT_FALSE(tasks.find("at-once-1"));
  executor.pass(std::chrono::seconds(6));
  EXPECT_FALSE(tasks.find(soon));
  EXPECT_TRUE(tasks.find(late));
  executor.pass(std::chrono::seconds(6));
  EXPECT_FALSE(tasks.find(late));
}

TEST(FinishedTasks, AreBoundedInSizeAndNumber) {
  testing::ManualExecutor executor;
  FinishedTasks few(settings(2, 1'000'000));
  FinishedTasks small(settings(100, 1'000));
  for (auto* const tasks : {&few, &small}) {
    const std::string body = '"' + std::string(400, 'x') + '"';
    const std::string first = tasks->keep(mcp::result_reply(body), std::nullopt).id;
    const std::string second = tasks->keep(mcp::result_reply(body), std::nullopt).id;
    EXPECT_TRUE(tasks->find(first));
    const std::string third = tasks->keep(mcp::result_reply(body), std::nullopt).id;
    EXPECT_FALSE(tasks->find(first));
    EXPECT_TRUE(tasks->find(second) && tasks->find(third));
  }
  const std::string huge = small.keep(mcp::result_reply(std::string(5'000, ' ')), 1).id;
  EXPECT_TRUE(small.find(huge));
}

}  // namespace
}  // namespace patchbay::upstreams
