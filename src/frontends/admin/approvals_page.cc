#include "frontends/admin/approvals_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontends/admin/admin.h"
#include "frontends/json_answer.h"
#include "json/write.h"
#include "net/http/syntax/percent.h"
#include "observe/log.h"

namespace patchbay::frontends {
namespace {

using policy::ApprovalEntry;

constexpr std::size_t kMostReason = 1'600;  // 400 characters.

std::string entry_json(const ApprovalEntry& entry) {
  const auto left = std::chrono::duration_cast<std::chrono::seconds>(
      entry.expires - std::chrono::system_clock::now());
  const bool approved = entry.state == policy::ApprovalState::approved;
  std::string text;
  json::Object object(text);
  object.raw("id", json::quote(entry.id));
  object.raw("tool", json::quote(entry.subject.tool));
  object.raw("arguments", entry.arguments);
  object.raw("caller", json::quote(entry.caller_name));
  object.raw("state", approved ? "\"approved\"" : "\"waiting\"");
  if (approved) object.raw("by", json::quote(entry.approved_by));
  object.raw("expires_in", std::to_string(std::max<std::int64_t>(left.count(), 0)));
  object.end();
  return text;
}

// Why a person has refused a call, for those who read the log.
Result<std::string> reason_of(const net::HttpExchange& exchange) {
  auto query = net::parse_query(exchange.request.query);
  if (!query) return query.error();
  std::string reason = (*query)["reason"];
  if (reason.size() <= kMostReason) return reason;
  return Error{Code::invalid_params, fmt::format("reason: at most {} bytes", kMostReason)};
}

}  // namespace

Task<std::string> ApprovalsPage::decide(const net::HttpExchange& exchange, std::string id) {
  const Principal& approver = *exchange.caller;
  const bool approves = exchange.request.method == "POST";
  auto reason = reason_of(exchange);
  if (!reason) co_return reason.error();
  auto deciding = approves ? approvals_.approve(id, approver) : approvals_.refuse(id);
  // A decision that is made is recorded, even if nobody waits for the answer any more.
  auto entry = co_await deciding.shielded();
  if (!entry) co_return entry.error();
  auto record = policy::event_record(policy::kApprovalEvent, approver);
  record.caller = entry->subject.caller;
  record.name = entry->caller_name;
  record.from = exchange.peer.ip;
  record.method = approves ? "approve" : "refuse";
  record.target = entry->subject.tool;
  record.digest = entry->subject.digest;
  record.decision = approves ? "allow" : "deny";
  record.by = approver.name;
  recorder_.event(std::move(record));
  log::Line(log::Level::info, approves ? "approved" : "refused")
      .add("id", id)
      .add("by", approver.name)
      .add("who", entry->caller_name)
      .add("tool", entry->subject.tool)
      .add("arguments", entry->subject.digest)
      .add("reason", *reason);
  co_return entry_json(*entry);
}

Task<std::string> ApprovalsPage::list() {
  auto entries = co_await approvals_.list();
  if (!entries) co_return entries.error();
  std::string list;
  for (const auto& entry : *entries) list += (list.empty() ? "" : ",") + entry_json(entry);
  co_return fmt::format("{{\"approvals\":[{}]}}", list);
}

Task<std::string> ApprovalsPage::answer(const net::HttpExchange& exchange) {
  if (!is_admin(*exchange.caller, catalog_)) co_return admins_only();
  const std::string_view path = exchange.request.path;
  const std::string_view method = exchange.request.method;
  const std::string id(path.size() > kPath.size() ? path.substr(kPath.size() + 1) : "");
  const bool decides = method == "POST" || method == "DELETE";
  if (decides && id.empty()) {
    co_return Error{Code::invalid_request, fmt::format("which one? {}/ID", kPath)};
  }
  if (decides) co_return co_await decide(exchange, id);
  if (id.empty()) co_return co_await list();
  auto entry = co_await approvals_.find(id);
  if (!entry) co_return entry.error();
  co_return entry_json(*entry);
}

Task<void> ApprovalsPage::handle(net::HttpExchange& exchange) {
  return answer_json(exchange, answer(exchange));
}

}  // namespace patchbay::frontends
