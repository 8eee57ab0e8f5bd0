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

// A time of the steady clock, as one of the calendar.
std::string calendar_json(Deadline when, Deadline now) {
  const auto then = std::chrono::system_clock::now() +
                    std::chrono::duration_cast<std::chrono::system_clock::duration>(when - now);
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(then.time_since_epoch());
  // To the second: the two clocks are read one after the other, and an answer that says the same
  // shall look the same.
  return json::quote(policy::time_text((since.count() + 500) / 1000 * 1000));
}

std::string before_json(const ApprovedCall& call, Deadline now) {
  std::string text;
  json::Object object(text);
  object.raw("arguments", call.arguments);
  object.raw("by", json::quote(call.by));
  object.raw("when", calendar_json(call.when, now));
  object.end();
  return text;
}

std::string waiting_json(const ApprovalEntry& entry, const ApprovedCall* before, bool may_decide,
                         Deadline now) {
  std::string text;
  json::Object object(text);
  object.raw("id", json::quote(entry.id));
  object.raw("tool", json::quote(entry.subject.tool));
  object.raw("arguments", entry.arguments);
  object.raw("caller", json::quote(entry.caller_name));
  object.raw("caller_id", json::quote(entry.subject.caller));
  object.raw("state", entry.approved ? "\"approved\"" : "\"waiting\"");
  if (entry.approved) object.raw("by", json::quote(entry.approved_by));
  object.raw("asked", calendar_json(entry.asked, now));
  object.raw("expires", calendar_json(entry.expires, now));
  object.raw("may_decide", may_decide ? "true" : "false");
  if (before) object.raw("last_approved", before_json(*before, now));
  object.end();
  return text;
}

}  // namespace

// Admins see all of them; others their own, and what was approved for themselves before.
Result<std::string> ControlApi::approvals(Asked& asked) {
  auto taken = check_taken(asked.query, "none");
  if (!taken) return taken.error();
  const Deadline now = here().now();
  const Principal& caller = *asked.caller;
  const auto approved = shared_.approvals.approved();
  std::string list;
  for (const auto& entry : shared_.approvals.list(now)) {
    const bool own = entry.subject.caller == caller.id;
    if (!asked.sees_all && !own) continue;
    const auto before = std::ranges::find(approved, entry.subject.tool, &ApprovedCall::tool);
    const bool presented =
        before != approved.end() && (asked.sees_all || before->caller == caller.id);
    const bool may_decide = asked.sees_all && (!own || caller.auth_method == AuthMethod::none);
    if (!list.empty()) list += ',';
    list += waiting_json(entry, presented ? &*before : nullptr, may_decide, now);
  }
  json::escape_invisible(list);
  return fmt::format("{{\"approvals\":[{}]}}", list);
}

}  // namespace patchbay::frontends
