// Tasks: calls that a server continues after it has answered. 2025-11-25 has them in its core,
// 2026-07-28 as the extension io.modelcontextprotocol/tasks; here one form is converted to the
// other, and the ids of an upstream to ids that name it, so that no table is needed. Pure.
//
// An id is a name, not a permission: access to a task is decided elsewhere.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "mcp/reply.h"

namespace patchbay::mcp {

// The id for clients of the task `id` of an upstream. REQUIRES: the upstream's name has no colon
// (none has); the id may be anything.
std::string listed_task(std::string_view upstream, std::string_view id);

struct TaskName {
  std::string_view upstream;
  std::string_view id;
};
// Empty if it is not an id of ours. Slices point into `listed`.
std::optional<TaskName> split_task(std::string_view listed);

// Whether a tool may run as a task, by its raw definition.
enum class TaskSupport : std::uint8_t { none, optional, required };
TaskSupport task_support(std::string_view tool);
// The definition of a tool with another value of that.
std::string with_task_support(std::string_view tool, TaskSupport support);

// A result, an answer or the parameters of a notification or a request, raw, with each task id in
// it replaced by `rename`: `taskId`, `task.taskId`, `tasks[].taskId` and the one in
// `_meta["io.modelcontextprotocol/related-task"]`. Cheap where there are none.
using RenameTask = std::function<std::string(std::string_view id)>;
std::string with_task_ids(std::string_view raw, const RenameTask& rename);

// The task that the raw parameters of a notification or a request belong to; empty if none.
std::string related_task(std::string_view params);

// A raw object, or nothing, with the task that it belongs to in its `_meta`.
std::string with_related_task(std::string_view raw, std::string_view id);

// The state of a task of either form: its status, and its polling interval in milliseconds, if
// stated.
std::string task_status(std::string_view task);
std::optional<std::int64_t> poll_interval(std::string_view task);
// A final status.
bool is_final(std::string_view status);

// The result for a created task, converted between the forms: `{"task":{…}}` with sessions, flat
// with resultType "task" without.
std::string stateless_created_task(std::string_view result);
std::string session_created_task(std::string_view result);

// What is known about a task besides its state.
struct TaskFindings {
  const Reply* outcome = nullptr;        // The answer of tasks/result, once the task has ended.
  std::string_view input_requests = {};  // Raw, while it waits for input.
};

// The members of a task's state in the form of the extension, for the result of tasks/get and for
// notifications/tasks: outcome and input requests are inside. A tool that failed is a task that
// completed; one whose outcome or input requests are not available yet is still working.
std::string stateless_task(std::string_view task, const TaskFindings& findings);

// The reverse: for the results of tasks/get and tasks/cancel, and for notifications/tasks/status.
std::string session_task(std::string_view task);

// The outcome inside a task of the extension; empty while there is none.
std::optional<Reply> outcome_of(std::string_view task);

}  // namespace patchbay::mcp
