// The page of the control API about calls that wait for a person's approval.
#include <fmt/format.h>

#include <algorithm>

#include "frontends/admin/control_api.h"
#include "json/invisible.h"
#include "json/write.h"
#include "policy/audit/record.h"

namespace patchbay::frontends {
namespace {

using policy::ApprovalEntry;
using policy::ApprovedCall;

std::string time_json(store::Time when) {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(when.time_since_epoch());
  return json::quote(policy::time_text(since.count()));
}

std::string before_json(const ApprovedCall& call) {
  std::string text;
  json::Object object(text);
  object.raw("arguments", call.arguments);
  object.raw("by", json::quote(call.by));
  object.raw("when", time_json(call.when));
  object.end();
  return text;
}

std::string waiting_json(const ApprovalEntry& entry, const ApprovedCall* before, bool may_decide) {
  const bool approved = entry.state == policy::ApprovalState::approved;
  std::string text;
  json::Object object(text);
  object.raw("id", json::quote(entry.id));
  object.raw("tool", json::quote(entry.subject.tool));
  object.raw("arguments", entry.arguments);
  object.raw("caller", json::quote(entry.caller_name));
  object.raw("caller_id", json::quote(entry.subject.caller));
  object.raw("state", approved ? "\"approved\"" : "\"waiting\"");
  if (approved) object.raw("by", json::quote(entry.approved_by));
  object.raw("asked", time_json(entry.asked));
  object.raw("expires", time_json(entry.expires));
  object.raw("may_decide", may_decide ? "true" : "false");
  if (before) object.raw("last_approved", before_json(*before));
  object.end();
  return text;
}

}  // namespace

// Admins see all of them; others their own, and what was approved for themselves before.
Task<std::string> ControlApi::approvals(Asked asked) {
  auto taken = check_taken(asked.query, "none");
  if (!taken) co_return taken.error();
  auto entries = co_await shared_.approvals.list();
  if (!entries) co_return entries.error();
  const Principal& caller = *asked.caller;
  const auto approved = shared_.approvals.approved();
  std::string list;
  for (const auto& entry : *entries) {
    const bool own = entry.subject.caller == caller.id;
    if (!asked.sees_all && !own) continue;
    const auto before = std::ranges::find(approved, entry.subject.tool, &ApprovedCall::tool);
    const bool presented =
        before != approved.end() && (asked.sees_all || before->caller == caller.id);
    const bool may_decide = asked.sees_all && (!own || caller.auth_method == AuthMethod::none);
    if (!list.empty()) list += ',';
    list += waiting_json(entry, presented ? &*before : nullptr, may_decide);
  }
  json::escape_invisible(list);
  co_return fmt::format("{{\"approvals\":[{}]}}", list);
}

}  // namespace patchbay::frontends
