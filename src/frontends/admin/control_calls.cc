// The pages of the control API about calls: the flight recorder, one trace, and the audit database.
#include <fmt/format.h>

#include <algorithm>

#include "config/units.h"
#include "frontends/admin/call_json.h"
#include "frontends/admin/control_api.h"
#include "frontends/admin/page_size.h"
#include "gateway/call/call_record.h"
#include "json/text.h"
#include "policy/audit/database.h"

namespace patchbay::frontends {
namespace {

constexpr std::string_view kCallParameters =
    "limit, before, after, tool, upstream, caller, client, method, outcome, trace, slower_than";
constexpr std::string_view kAuditParameters =
    "limit, before, after, since, until, caller, name, upstream, outcome, trace, event";
constexpr std::chrono::seconds kMostQueryTime{5};
constexpr std::size_t kMostOfTrace = 500;  // Calls.

std::string take_text(QueryParameters& query, std::string_view name) {
  auto node = query.extract(std::string(name));
  return node ? std::move(node.mapped()) : std::string();
}

std::string calls_json(const std::vector<trace::StoredCall>& calls) {
  std::string list = "[";
  for (const auto& call : calls) {
    if (list.size() > 1) list += ',';
    list += call_json(call.record());
  }
  return list + "]";
}

bool slower(const trace::StoredCall& a, const trace::StoredCall& b) {
  return a.record().took_ns < b.record().took_ns;
}

trace::TraceId trace_of(const trace::StoredCall& call) { return call.record().context.trace; }

// An age as a point in time.
Result<std::optional<std::int64_t>> take_ago(QueryParameters& query, std::string_view name) {
  const auto text = take_text(query, name);
  if (text.empty()) return std::optional<std::int64_t>();
  const auto duration = config::parse_duration(text);
  if (!duration) {
    return Error{Code::invalid_params, fmt::format("{}: {}", name, duration.error().message)};
  }
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::optional(
      (std::chrono::duration_cast<std::chrono::milliseconds>(now) - *duration).count());
}

Result<policy::AuditFilter> take_audit_filter(QueryParameters& query) {
  policy::AuditFilter filter;
  filter.by_row = true;
  filter.max_time = kMostQueryTime;
  auto since = take_ago(query, "since");
  if (!since) return since.error();
  auto until = take_ago(query, "until");
  if (!until) return until.error();
  filter.since_ms = *since;
  filter.until_ms = *until;
  auto limit = take_limit(query);
  if (!limit) return limit.error();
  filter.most = static_cast<int>(*limit);
  auto before = take_number(query, "before", 0);
  if (!before) return before.error();
  if (*before > 0) filter.last_row = static_cast<std::int64_t>(*before) - 1;
  auto after = take_number(query, "after", 0);
  if (!after) return after.error();
  filter.after_row = static_cast<std::int64_t>(*after);
  filter.caller = take_text(query, "caller");
  filter.target = take_text(query, "name");
  filter.upstream = take_text(query, "upstream");
  filter.outcome = take_text(query, "outcome");
  filter.trace = take_text(query, "trace");
  filter.event = take_text(query, "event");
  auto taken = check_taken(query, kAuditParameters);
  if (!taken) return taken.error();
  return filter;
}

std::string audit_json(std::vector<policy::AuditRecord> records, int limit, std::int64_t newest) {
  std::string list;
  std::int64_t lowest = 0;
  for (auto& record : records) {
    record.arguments.clear();
    record.digest.clear();
    if (lowest == 0 || record.row < lowest) lowest = record.row;
    if (!list.empty()) list += ',';
    policy::append_line(list, record);
    list.pop_back();  // The line feed.
  }
  std::string text = fmt::format("{{\"records\":[{}],\"newest\":\"{}\"", list, newest);
  if (records.size() == static_cast<std::size_t>(limit)) {
    text += fmt::format(",\"next\":\"{}\"", lowest);
  }
  return text + "}";
}

}  // namespace

Result<std::string> ControlApi::calls(Asked& asked) {
  auto filter = take_filter(asked.query);
  if (!filter) return filter.error();
  auto limit = take_limit(asked.query);
  if (!limit) return limit.error();
  const std::string before = take_text(asked.query, "before");
  const std::string after = take_text(asked.query, "after");
  auto taken = check_taken(asked.query, kCallParameters);
  if (!taken) return taken.error();
  if (!before.empty() && !after.empty()) {
    return Error{Code::invalid_params, "either before or after, not both"};
  }
  if (!asked.sees_all) filter->owner = gateway::recorded_id(*asked.caller);
  const auto wanted = [&](const trace::CallRecord& call) { return filter->wants(call); };
  const trace::CallHistories& histories = shared_.histories;
  const auto end = histories.end();
  const std::string newest = histories.to_text(end);
  if (!after.empty()) {
    auto from = histories.parse(after);
    if (!from) return from.error();
    const auto found = histories.between(*from, end, *limit, wanted);
    // Only admins learn how much others call.
    const std::string missed =
        asked.sees_all ? fmt::format(",\"missed\":{}", found.missed) : std::string();
    return fmt::format(R"({{"calls":{},"newest":{}{}}})", calls_json(found.calls),
                       json::quote(histories.to_text(found.next)), missed);
  }
  auto from =
      before.empty() ? Result<trace::CallHistories::Position>(end) : histories.parse(before);
  if (!from) return from.error();
  const auto found = histories.before(*from, *limit, wanted);
  const std::string next =
      found.more ? fmt::format(",\"next\":{}", json::quote(histories.to_text(found.next))) : "";
  return fmt::format(R"({{"calls":{},"newest":{}{}}})", calls_json(found.calls),
                     json::quote(newest), next);
}

// The calls of one trace that the caller may see. `last`, `slowest` and `failed` name the trace of
// the last call, of the slowest one, and of the last one that failed.
Result<std::vector<trace::StoredCall>> ControlApi::calls_of_trace(const Asked& asked) {
  const trace::CallHistories& histories = shared_.histories;
  CallFilter filter;
  if (!asked.sees_all) filter.owner = gateway::recorded_id(*asked.caller);
  const auto wanted = [&](const trace::CallRecord& call) { return filter.wants(call); };
  const auto all_wanted = [&](std::size_t most) {
    return histories.between(histories.begin(), histories.end(), most, wanted).calls;
  };
  std::string_view name = asked.rest;
  if (name == "last" || name == "failed") {
    if (name == "failed") filter.outcome = "!ok";
    const auto newest = all_wanted(1);
    if (newest.empty()) return newest;
    filter.outcome.clear();
    filter.trace = trace::to_hex(trace_of(newest.front()));
    return all_wanted(kMostOfTrace);
  }
  if (name == "slowest") {
    const auto some = all_wanted(kMostOfTrace);
    const auto slowest = std::ranges::max_element(some, slower);
    if (slowest == some.end()) return some;
    filter.trace = trace::to_hex(trace_of(*slowest));
    return all_wanted(kMostOfTrace);
  }
  auto prefix = trace_prefix(name);
  if (!prefix) return prefix.error();
  filter.trace = *std::move(prefix);
  auto calls = all_wanted(kMostOfTrace);
  const auto differs = [&](const trace::StoredCall& call) {
    return trace_of(call) != trace_of(calls.front());
  };
  if (std::ranges::any_of(calls, differs)) {
    return Error{Code::invalid_params, "several traces begin with these digits; name more of them"};
  }
  return calls;
}

Result<std::string> ControlApi::traces(Asked& asked) {
  auto taken = check_taken(asked.query, "none");
  if (!taken) return taken.error();
  const auto calls = calls_of_trace(asked);
  if (!calls) return calls.error();
  if (calls->empty()) {
    return Error{Code::not_found,
                 "no such call is stored; telemetry.max_recent_calls sets their number"};
  }
  return fmt::format(R"({{"trace_id":"{}","calls":{}}})", trace::to_hex(trace_of(calls->front())),
                     calls_json(*calls));
}

Task<std::string> ControlApi::audit(Asked asked) {
  auto filter = take_audit_filter(asked.query);
  if (!filter) co_return filter.error();
  const std::string path = recorder_.audit_database();
  if (path.empty()) {
    co_return Error{Code::not_found, "the configuration names no audit.database"};
  }
  if (!asked.sees_all) filter->owner = asked.caller->id;
  const auto slot = shared_.audit_queries.take(asked.caller->id, false);
  if (!slot) co_return slot.error();
  std::function<Result<std::string>()> query = [path, filter = *filter] {
    auto newest = policy::newest_audit_row(path);
    // No record has been written yet.
    if (!newest && newest.error().code == Code::not_found) newest = 0;
    if (!newest) return Result<std::string>(newest.error());
    if (*newest == 0) return Result<std::string>(audit_json({}, filter.most, 0));
    policy::AuditFilter within = filter;
    within.last_row = std::min(within.last_row, *newest);
    auto records = policy::find_audit(path, within);
    if (!records) return Result<std::string>(records.error());
    return Result<std::string>(audit_json(*std::move(records), filter.most, *newest));
  };
  auto done = shared_.audit_threads.run<std::string>(std::move(query));
  auto text = co_await done;
  // Clients have no use for the path of the file.
  const bool failed = !text && text.error().code == Code::internal;
  if (failed) co_return Error{Code::internal, "the audit database cannot be read now"};
  co_return text;
}

Result<std::string> ControlApi::openapi(Asked& asked) {
  auto taken = check_taken(asked.query, "none");
  if (!taken) return taken.error();
  return control_openapi();
}

}  // namespace patchbay::frontends
