#include "mcp/tasks.h"

#include <fmt/format.h>

#include "json/edit.h"
#include "json/read.h"
#include "json/write.h"
#include "mcp/content.h"
#include "mcp/shape.h"

namespace patchbay::mcp {
namespace {

constexpr char kColon = ':';

// Walks over the next value and replaces each task id.
class IdEdit {
 public:
  IdEdit(std::string_view raw, const RenameTask& rename) : edit_(raw), rename_(rename) {}

  void top() {
    edit_.members([this](std::string_view key) {
      if (key == "taskId") return id();
      if (key == "task") return task(), true;
      if (key == "tasks") return edit_.elements([this] { task(); }), true;
      if (key == "_meta") return meta();
      return edit_.keep();
    });
  }

  std::string result(std::string_view raw) {
    return edit_.changed() ? edit_.result() : std::string(raw);
  }

 private:
  bool id() {
    const std::string_view raw = edit_.take();
    const auto text = json::as_string(raw);
    if (text) edit_.replace(raw, json::quote(rename_(*text)));
    return true;
  }

  void task() {
    edit_.members([this](std::string_view key) { return key == "taskId" ? id() : edit_.keep(); });
  }

  bool meta() {
    edit_.members([this](std::string_view key) {
      if (key != kMetaRelatedTask) return edit_.keep();
      task();
      return true;
    });
    return true;
  }

  json::Edit edit_;
  const RenameTask& rename_;
};

// The members that both forms have, with the durations under the names of the target.
struct Names {
  std::string_view ttl;
  std::string_view poll;
};
constexpr Names kSession{"ttl", "pollInterval"};
constexpr Names kStateless{"ttlMs", "pollIntervalMs"};

void append_state(json::Object& out, std::string_view task, std::string_view status,
                  const Names& from, const Names& to) {
  bool has_ttl = false;
  json::each_member(task, [&](std::string_view key, std::string_view raw) {
    if (key == "resultType" || key == "result" || key == "error" || key == "inputRequests" ||
        key == "_meta") {
      return;
    }
    if (key == "status") return out.raw(key, status);
    if (key == from.poll) return out.raw(to.poll, raw);
    if (key != from.ttl) return out.raw(key, raw);
    has_ttl = true;
    out.raw(to.ttl, raw);
  });
  if (!has_ttl) out.raw(to.ttl, "null");  // Forever.
}

void append_meta(json::Object& out, std::string_view from, Revision to) {
  const auto meta = json::member(from, "_meta");
  if (!meta) return;
  json::Edit edit(*meta);
  if (!shape_meta(edit, to)) return;
  out.raw("_meta", edit.changed() ? edit.result() : std::string(*meta));
}

// A result inside a task of the extension.
std::string inlined(Reply outcome) {
  shape_result(outcome, "tools/call", kNewest);
  if (!outcome.is_error && outcome.type == ResultType::none) {
    add_to_result(outcome, "\"resultType\":\"complete\"");
  }
  return std::move(outcome.body);
}

bool is_tool_failure(std::string_view result) { return json::member(result, "isError") == "true"; }

}  // namespace

std::string listed_task(std::string_view upstream, std::string_view id) {
  return fmt::format("{}{}{}", upstream, kColon, id);
}

std::optional<TaskName> split_task(std::string_view listed) {
  const std::size_t colon = listed.find(kColon);
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  return TaskName{listed.substr(0, colon), listed.substr(colon + 1)};
}

TaskSupport task_support(std::string_view tool) {
  const auto execution = json::member(tool, "execution");
  const auto declared = execution ? json::string_member(*execution, "taskSupport") : std::nullopt;
  if (declared == "optional") return TaskSupport::optional;
  return declared == "required" ? TaskSupport::required : TaskSupport::none;
}

std::string with_task_support(std::string_view tool, TaskSupport support) {
  if (task_support(tool) == support) return std::string(tool);
  json::Edit edit(tool);
  const auto top =
      edit.members([&](std::string_view key) { return edit.keep_if(key != "execution"); });
  if (support != TaskSupport::none && top.front) {
    edit.add(top, fmt::format(R"("execution":{{"taskSupport":"{}"}})",
                              support == TaskSupport::required ? "required" : "optional"));
  }
  return edit.changed() ? edit.result() : std::string(tool);
}

std::string with_task_ids(std::string_view raw, const RenameTask& rename) {
  if (raw.find("taskId") == std::string_view::npos) return std::string(raw);
  IdEdit edit(raw, rename);
  edit.top();
  return edit.result(raw);
}

std::string related_task(std::string_view params) {
  const auto meta = json::member(params, "_meta");
  const auto related = meta ? json::member(*meta, kMetaRelatedTask) : std::nullopt;
  return related ? json::string_member(*related, "taskId").value_or("") : "";
}

std::string with_related_task(std::string_view raw, std::string_view id) {
  if (raw.empty()) raw = "{}";
  const std::string related =
      fmt::format("\"{}\":{{\"taskId\":{}}}", kMetaRelatedTask, json::quote(id));
  json::Edit edit(raw);
  bool has_meta = false;
  const auto top = edit.members([&](std::string_view key) {
    if (key != "_meta" || edit.peek() != json::Type::object) return edit.keep_if(key != "_meta");
    has_meta = true;
    const auto meta =
        edit.members([&](std::string_view name) { return edit.keep_if(name != kMetaRelatedTask); });
    edit.add(meta, related);
    return true;
  });
  if (!has_meta && top.front) edit.add(top, fmt::format("\"_meta\":{{{}}}", related));
  return edit.changed() ? edit.result() : std::string(raw);
}

std::string task_status(std::string_view task) {
  return json::string_member(task, "status").value_or("working");
}

std::optional<std::int64_t> poll_interval(std::string_view task) {
  for (const auto& names : {kSession, kStateless}) {
    if (const auto raw = json::member(task, names.poll)) return json::as_int(*raw);
  }
  return std::nullopt;
}

bool is_final(std::string_view status) {
  return status == "completed" || status == "failed" || status == "cancelled";
}

std::string stateless_created_task(std::string_view result) {
  const auto task = json::member(result, "task").value_or("{}");
  std::string text;
  {
    json::Object out(text);
    out.raw("resultType", "\"task\"");
    append_state(out, task, json::quote(task_status(task)), kSession, kStateless);
    append_meta(out, result, kNewest);
  }
  return text;
}

std::string session_created_task(std::string_view result) {
  std::string text;
  {
    json::Object out(text);
    out.key("task");
    {
      json::Object task(text);
      append_state(task, result, json::quote(task_status(result)), kStateless, kSession);
    }
    append_meta(out, result, kNewestSessionBased);
  }
  return text;
}

std::string stateless_task(std::string_view task, const TaskFindings& findings) {
  std::string status = task_status(task);
  const Reply* const outcome = findings.outcome;
  const bool ended = status == "completed" || status == "failed";
  std::string_view member;
  std::string value;
  if (ended && outcome) {
    status = outcome->is_error ? "failed" : "completed";
    member = outcome->is_error ? "error" : "result";
    value = inlined(*outcome);
  } else if (status == "input_required" && !findings.input_requests.empty()) {
    member = "inputRequests";
    value = findings.input_requests;
  } else if (ended || status == "input_required") {
    status = "working";
  }
  std::string text;
  {
    json::Object out(text);
    append_state(out, task, json::quote(status), kSession, kStateless);
    if (!member.empty()) out.raw(member, value);
    append_meta(out, task, kNewest);
  }
  return text;
}

std::string session_task(std::string_view task) {
  std::string status = task_status(task);
  const auto result = json::member(task, "result");
  if (status == "completed" && result && is_tool_failure(*result)) status = "failed";
  std::string text;
  {
    json::Object out(text);
    append_state(out, task, json::quote(status), kStateless, kSession);
    append_meta(out, task, kNewestSessionBased);
  }
  return text;
}

std::optional<Reply> outcome_of(std::string_view task) {
  if (const auto error = json::member(task, "error")) {
    Reply reply = result_reply(std::string(*error));
    reply.is_error = true;
    return reply;
  }
  const auto result = json::member(task, "result");
  return result ? std::optional(scanned_reply(std::string(*result))) : std::nullopt;
}

}  // namespace patchbay::mcp
