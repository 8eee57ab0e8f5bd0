#include "upstreams/sandbox/tools.h"

#include <gtest/gtest.h>

#include "gateway/catalog/tool_schemas.h"
#include "json/read.h"
#include "upstreams/sandbox/answers.h"

namespace patchbay::upstreams {
namespace {

const SandboxSettings kSettings;

const mcp::Item& definition(std::string_view name) {
  static const mcp::ItemLists items = sandbox_items();
  for (const auto& item : mcp::of(items, mcp::ItemKind::tool)) {
    if (item.key == name) return item;
  }
  ADD_FAILURE() << name;
  return mcp::of(items, mcp::ItemKind::tool).front();
}

TEST(SandboxTools, DefinitionsAreJsonAndKnown) {
  const auto items = sandbox_items();
  EXPECT_EQ(mcp::of(items, mcp::ItemKind::tool).size(), 8U);
  for (const auto& list : items) {
    for (const auto& item : list) EXPECT_TRUE(json::check(item.definition)) << item.definition;
  }
  for (const auto& item : mcp::of(items, mcp::ItemKind::tool)) {
    EXPECT_TRUE(find_sandbox_tool(item.key)) << item.key;
  }
  EXPECT_FALSE(find_sandbox_tool("nothing"));
}

TEST(SandboxTools, AnswersAreAsPromised) {
  const gateway::ToolSchemas run("box.run_command", definition("run_command").definition);
  RunOutcome outcome{R"({"exit_code":-1,"stdout":"a","stderr":"b","signal":9,"truncated":true,)"
                     R"("stdout_bytes":1,"stderr_bytes":1,"duration_ms":3})"};
  outcome.usage.memory_peak = 5;
  const auto answer = structured_result(run_answer(outcome, "namespaces", "id"));
  EXPECT_TRUE(run.check_result(answer, true)) << answer;
  const gateway::ToolSchemas read("box.read_file", definition("read_file").definition);
  const auto file = file_answer({"text", 4}, FileRequest(), "namespaces");
  ASSERT_TRUE(file);
  EXPECT_TRUE(read.check_result(structured_result(*file), true));
  const gateway::ToolSchemas list("box.list_directory", definition("list_directory").definition);
  EXPECT_TRUE(list.check_result(
      structured_result(folder_answer({{"a", true, 0, "dir"}}, "namespaces")), true));
}

TEST(SandboxTools, VerdictsHaveAReason) {
  const sandbox::Usage before;
  sandbox::Usage after;
  EXPECT_EQ(verdict_on(R"({"exit_code":0})", before, after), "exit");
  EXPECT_EQ(verdict_on(R"({"exit_code":3})", before, after), "exit");
  EXPECT_EQ(verdict_on(R"({"exit_code":-1,"signal":9})", before, after), "signal");
  EXPECT_EQ(verdict_on(R"({"exit_code":-1,"signal":9,"timed_out":true})", before, after),
            "timeout");
  EXPECT_EQ(verdict_on(R"({"exit_code":-1})", before, after), "failed");
  after.out_of_memory = 1;
  EXPECT_EQ(verdict_on(R"({"exit_code":-1,"signal":9})", before, after), "memory");
  EXPECT_EQ(verdict_on(R"({"exit_code":-1,"signal":9})", after, after), "signal");
  EXPECT_EQ(verdict_on(R"({"exit_code":0})", before, after), "exit");
  after = {};
  after.pids_refused = 2;
  EXPECT_EQ(verdict_on(R"({"exit_code":1})", before, after), "pids");
}

TEST(SandboxTools, WhatTheAgentIsAsked) {
  auto run =
      read_run(SandboxTool::run_command,
               R"({"command":"ls \"x\"","env":{"A":"b"},"cwd":"/tmp","timeout_s":0.5})", kSettings);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->params, R"({"cmd":"ls \"x\"","cwd":"/tmp","env":{"A":"b"})");
  EXPECT_EQ(run->wall, config::Duration(500));
  EXPECT_TRUE(run->extended);
  run = read_run(SandboxTool::execute_code, R"({"language":"python","code":"1"})", kSettings);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->method, "exec_code");
  EXPECT_FALSE(run->extended);
  EXPECT_EQ(run->wall, kSettings.limits.wall);
}

TEST(SandboxTools, LimitsCanOnlyBeLowered) {
  auto made = read_create(R"({"memory_mib":64,"vcpu_count":0.5,"ttl_s":30})", kSettings);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->limits.memory.value, 64U << 20);
  EXPECT_FALSE(made->as_configured);
  EXPECT_TRUE(read_create("{}", kSettings)->as_configured);
  for (const auto* const wrong :
       {R"({"memory_mib":257})", R"({"memory_mib":1})", R"({"vcpu_count":1.5})",
        R"({"vcpu_count":0})", R"({"ttl_s":0})", R"({"ttl_s":1e12})", R"({"memory":1})"}) {
    EXPECT_FALSE(read_create(wrong, kSettings)) << wrong;
  }
}

TEST(SandboxTools, ResourcesAreFiles) {
  auto request = read_resource_request("sandbox://abc/a%20b/c");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->sandbox, "abc");
  EXPECT_EQ(request->path, "a b/c");
  for (const auto* const wrong :
       {"sandbox://abc", "sandbox://abc/", "file:///etc/passwd", "", "sandbox://"}) {
    EXPECT_FALSE(read_resource_request(wrong)) << wrong;
  }
  FileRequest written{.sandbox = "abc", .path = "/workspace/a b/ü", .content = "xyz"};
  EXPECT_EQ(written_answer(written, "none"),
            R"({"success":true,"bytes":3,"uri":"sandbox://abc/a%20b/%C3%BC","isolation":"none"})");
}

}  // namespace
}  // namespace patchbay::upstreams
