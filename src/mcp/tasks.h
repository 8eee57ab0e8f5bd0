// Tasks: calls that a server goes on with after it has answered. 2025-11-25 has them in its core,
// 2026-07-28 as the extension io.modelcontextprotocol/tasks; here one is turned into the other, and
// the ids of an upstream into ids that lead back to it without anything being remembered. Pure.
//
// An id is a name, not a permission: who may see a task is decided elsewhere.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mcp/reply.h"

namespace patchbay::mcp {

// The id under which clients know the task `id` of an upstream. REQUIRES: the upstream's name has
// no colon (none has); the id may be anything.
std::string listed_task(std::string_view upstream, std::string_view id);

struct TaskName {
  std::string_view upstream;
  std::string_view id;
};
// Empty if it is not an id of ours. Slices point into `listed`.
std::optional<TaskName> split_task(std::string_view listed);

// A result, an answer or the parameters of a notification or a question, raw, with the task ids in
// it as clients know them: `taskId`, `task.taskId`, `tasks[].taskId` and the one in
// `_meta["io.modelcontextprotocol/related-task"]`. Costs one look where there are none.
std::string with_listed_tasks(std::string_view raw, std::string_view upstream);
// The way back. Ids that are not of that upstream stay as they are.
std::string with_own_tasks(std::string_view raw, std::string_view upstream);

// The result that says that a task was made, from either form in the other: `{"task":{…}}` with
// sessions, flat with resultType "task" without.
std::string stateless_created_task(std::string_view result);
std::string session_created_task(std::string_view result);

// What is known of a task besides its state.
struct TaskFindings {
  const Reply* outcome = nullptr;        // The answer of tasks/result, once the task has ended.
  std::string_view input_requests = {};  // Raw, while it waits for input.
};

// The members of a task's state as the extension has them in the result of tasks/get and in
// notifications/tasks: outcome and questions are inside. A tool that failed is a task that
// completed; one whose outcome or questions are not at hand yet is still working.
std::string stateless_task(std::string_view task, const TaskFindings& findings);

// And back: for the results of tasks/get and tasks/cancel, and for notifications/tasks/status.
std::string session_task(std::string_view task);

// The outcome inside a task of the extension: the answer to tasks/result, which names its task.
// Empty while there is none.
std::optional<Reply> outcome_of(std::string_view task);

}  // namespace patchbay::mcp
