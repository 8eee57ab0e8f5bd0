// The answers of the sandbox tools: JSON for programs, which is also the text for models. Each
// answer names the isolation of the sandbox. Values only.
#pragma once

#include <string>
#include <string_view>

#include "sandbox/workspace.h"
#include "upstreams/sandbox/sandbox_table.h"
#include "upstreams/sandbox/tools.h"

namespace patchbay::upstreams {

// How a program has ended, as far as it is visible from outside.
struct RunOutcome {
  std::string result;                 // The agent's answer, raw.
  std::string_view verdict = "exit";  // exit, signal, timeout, memory, pids, failed.
  sandbox::Usage usage = {};
};

// The verdict on a run: from the agent's answer, and from what the cgroup has counted since
// `before`.
std::string_view verdict_on(std::string_view result, const sandbox::Usage& before,
                            const sandbox::Usage& after);

// What of it is kept with its sandbox.
gateway::SandboxRun last_run_of(std::string_view method, const RunOutcome& outcome);

std::string run_answer(const RunOutcome& outcome, std::string_view isolation,
                       std::string_view sandbox_id);
std::string created_answer(const Sandbox& sandbox, std::string_view isolation);
std::string list_answer(const std::vector<std::shared_ptr<Sandbox>>& all,
                        std::string_view isolation);
std::string destroyed_answer(std::string_view isolation);
// Code::invalid_params if it is to be text and is not.
Result<std::string> file_answer(const sandbox::FilePiece& piece, const FileRequest& request,
                                std::string_view isolation);
std::string folder_answer(const std::vector<sandbox::FileEntry>& entries,
                          std::string_view isolation);
std::string written_answer(const FileRequest& request, std::string_view isolation);

// The result of resources/read.
std::string resource_answer(std::string_view uri, const std::string& bytes);

// The result of a tool call around raw JSON, or around the error.
std::string structured_result(std::string_view json);

}  // namespace patchbay::upstreams
