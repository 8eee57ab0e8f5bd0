#include "frontends/admin/bus_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "frontends/admin/admin.h"
#include "frontends/admin/call_filter.h"
#include "frontends/admin/page_size.h"
#include "frontends/json_answer.h"
#include "json/invisible.h"
#include "json/write.h"
#include "net/http/syntax/percent.h"
#include "policy/audit/record.h"

namespace patchbay::frontends {
namespace {

constexpr std::string_view kRecords = "/records";
constexpr std::string_view kLag = "/lag";
constexpr std::uint64_t kMaxRecords = 100;
constexpr auto kReadTime = std::chrono::seconds(5);

std::string topics_json(const std::vector<gateway::BusTopic>& topics) {
  std::string list;
  for (const auto& topic : topics) {
    if (!list.empty()) list += ',';
    json::Object object(list);
    object.raw("name", json::quote(topic.name));
    object.raw("role", json::quote(topic.role));
    if (!topic.agent.empty()) object.raw("agent", json::quote(topic.agent));
  }
  return "[" + list + "]";
}

std::string bus_json(const UpstreamLine& line, const gateway::BusReport& report) {
  std::string text;
  json::Object object(text);
  object.raw("upstream", json::quote(line.name));
  object.raw("state", line.state.up ? "\"up\"" : "\"down\"");
  object.raw("detail", json::quote(line.state.detail));
  object.raw("unsent_records", std::to_string(report.unsent));
  object.raw("unread_records", std::to_string(report.unread));
  object.raw("replies", fmt::format(R"({{"late":{},"duplicate":{},"foreign":{},"misplaced":{},)"
                                    R"("unreadable":{},"surplus":{}}})",
                                    report.late, report.duplicate, report.foreign, report.misplaced,
                                    report.unreadable, report.surplus));
  object.raw("topics", topics_json(report.topics));
  object.end();
  return text;
}

std::string number_json(const std::optional<std::int64_t>& number) {
  return number ? std::to_string(*number) : "null";
}

// null is what cannot be known.
std::string lag_line_json(const gateway::BusLagLine& line) {
  std::optional<std::int64_t> lag;
  // Records may have been deleted before the group has read them.
  if (line.end && line.committed) lag = std::max<std::int64_t>(0, *line.end - *line.committed);
  std::string text;
  json::Object object(text);
  object.raw("topic", json::quote(line.topic));
  object.raw("agent", json::quote(line.agent));
  object.raw("partition", std::to_string(line.partition));
  object.raw("end", number_json(line.end));
  object.raw("group", line.group.empty() ? "null" : json::quote(line.group));
  object.raw("state", line.state.empty() ? "null" : json::quote(line.state));
  object.raw("committed", number_json(line.committed));
  object.raw("lag", number_json(lag));
  object.end();
  return text;
}

// One request at a time makes a consumer of its own.
class OneAtATime {
 public:
  explicit OneAtATime(bool& busy) : busy_(busy) { busy_ = true; }
  OneAtATime(const OneAtATime&) = delete;
  OneAtATime& operator=(const OneAtATime&) = delete;
  ~OneAtATime() { busy_ = false; }

 private:
  bool& busy_;
};

}  // namespace

BusControl::Bus BusControl::bus(const std::string& upstream) const {
  const auto& find = operations_.find_upstream;
  return std::dynamic_pointer_cast<gateway::BusView>(find ? find(upstream) : nullptr);
}

Task<std::string> BusControl::list() {
  std::string list;
  for (const auto& line : operations_.upstreams()) {
    const auto found = bus(line.name);
    if (!found) continue;
    auto reading = found->bus_report();
    auto report = co_await reading;
    if (!report) co_return report.error();
    list += (list.empty() ? "" : ",") + bus_json(line, *report);
  }
  json::escape_invisible(list);
  co_return fmt::format("{{\"buses\":[{}]}}", list);
}

Task<std::string> BusControl::lag(const net::HttpExchange& exchange, std::string upstream) {
  auto query = net::parse_query(exchange.request.query);
  if (!query) co_return query.error();
  auto taken = check_taken(*query, "none");
  if (!taken) co_return taken.error();
  const auto found = bus(upstream);
  if (!found) co_return Error{Code::not_found, fmt::format("there is no bus '{}'", upstream)};
  auto looking = found->bus_lag();
  auto lag = co_await looking;
  if (!lag) co_return lag.error();
  std::string list;
  for (const auto& line : lag->lines) list += (list.empty() ? "" : ",") + lag_line_json(line);
  std::string text;
  json::Object object(text);
  object.raw("upstream", json::quote(upstream));
  object.raw("groups_listed", lag->why.empty() ? "true" : "false");
  if (!lag->why.empty()) object.raw("detail", json::quote(lag->why));
  object.raw("complete", lag->complete ? "true" : "false");
  object.raw("lag", "[" + list + "]");
  object.end();
  json::escape_invisible(text);
  co_return text;
}

Task<std::string> BusControl::records(const net::HttpExchange& exchange, std::string upstream) {
  auto query = net::parse_query(exchange.request.query);
  if (!query) co_return query.error();
  auto limit = take_number(*query, "limit", 20);
  if (!limit) co_return limit.error();
  const auto topic = query->extract("topic");
  auto taken = check_taken(*query, "topic, limit");
  if (!taken) co_return taken.error();
  if (!topic || *limit == 0 || *limit > kMaxRecords) {
    co_return Error{Code::invalid_params,
                    fmt::format("topic: one of the bus; limit: 1 to {}", kMaxRecords)};
  }
  const auto found = bus(upstream);
  if (!found) co_return Error{Code::not_found, fmt::format("there is no bus '{}'", upstream)};
  if (reading_) co_return Error{Code::rate_limited, "records are being read; try again"};
  const OneAtATime one(reading_);
  auto reading = found->last_records(topic.mapped(), static_cast<std::size_t>(*limit),
                                     here().now() + kReadTime);
  auto read = co_await reading;
  auto record = policy::event_record(policy::kBusEvent, *exchange.caller);
  record.from = exchange.peer.ip;
  record.method = "read";
  record.target = topic.mapped();
  record.upstream = upstream;
  if (!read) record.outcome = info(read.error().code).name;
  recorder_.event(std::move(record));
  if (!read) co_return read.error();
  std::string list;
  for (const auto& text : *read) list += (list.empty() ? "" : ",") + text;
  json::escape_invisible(list);
  co_return fmt::format(R"({{"topic":{},"records":[{}]}})", json::quote(topic.mapped()), list);
}

Task<std::string> BusControl::answer(const net::HttpExchange& exchange) {
  if (!is_admin(*exchange.caller, catalog_)) co_return admins_only();
  std::string_view rest = std::string_view(exchange.request.path).substr(kPath.size());
  if (rest.empty()) {
    auto query = net::parse_query(exchange.request.query);
    if (!query) co_return query.error();
    auto taken = check_taken(*query, "none");
    if (!taken) co_return taken.error();
    auto listing = list();
    co_return co_await listing;
  }
  rest.remove_prefix(1);
  const bool wants_lag = rest.ends_with(kLag);
  if (!wants_lag && !rest.ends_with(kRecords)) {
    co_return Error{Code::not_found,
                    fmt::format("GET {0}/UPSTREAM/records or {0}/UPSTREAM/lag", kPath)};
  }
  rest.remove_suffix(wants_lag ? kLag.size() : kRecords.size());
  auto upstream = net::percent_decode(rest);
  if (!upstream) co_return upstream.error();
  auto reading =
      wants_lag ? lag(exchange, *std::move(upstream)) : records(exchange, *std::move(upstream));
  co_return co_await reading;
}

Task<void> BusControl::handle(net::HttpExchange& exchange) {
  return answer_json(exchange, answer(exchange));
}

}  // namespace patchbay::frontends
