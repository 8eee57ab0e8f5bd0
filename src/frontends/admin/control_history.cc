// The page of the control API about what the load was.
#include <fmt/format.h>

#include "frontends/admin/admin.h"
#include "frontends/admin/control_api.h"
#include "json/write.h"
#include "policy/audit/record.h"

namespace patchbay::frontends {
namespace {

struct Column {
  std::string_view name;
  float LoadPoint::* value;
  int digits;
};
constexpr std::array kColumns{
    Column{"calls", &LoadPoint::calls, 0}, Column{"errors", &LoadPoint::errors, 0},
    Column{"p50_ms", &LoadPoint::p50, 3},  Column{"p95_ms", &LoadPoint::p95, 3},
    Column{"p99_ms", &LoadPoint::p99, 3},  Column{"in_flight", &LoadPoint::in_flight, 0},
};

// null where the gateway did not run, and for latencies where nothing was called.
std::string column_json(const std::vector<LoadPoint>& points, const Column& column) {
  std::string list = "[";
  for (const auto& point : points) {
    if (list.size() > 1) list += ',';
    const float value = point.*column.value;
    list += point.known && value >= 0 ? fmt::format("{:.{}f}", value, column.digits) : "null";
  }
  return list + "]";
}

}  // namespace

Result<std::string> ControlApi::history(Asked& asked) {
  const auto take = [&](const char* name) {
    auto node = asked.query.extract(std::string(name));
    return node ? std::move(node.mapped()) : std::string();
  };
  std::string range = take("range");
  const std::string upstream = take("upstream");
  auto taken = check_taken(asked.query, "range, upstream");
  if (!taken) return taken.error();
  if (upstream.empty() && !asked.sees_all) return admins_only();
  if (!upstream.empty() && !asked.sees(upstream)) {
    return Error{Code::not_found, fmt::format("there is no upstream '{}'", upstream)};
  }
  if (range.empty()) range = LoadHistory::kSpans.front().name;
  const auto found = shared_.history.find(range, upstream);
  if (!found) return Error{Code::invalid_params, "range: 15m, 3h or 24h"};
  const auto end =
      std::chrono::duration_cast<std::chrono::milliseconds>(found->end.time_since_epoch());
  std::string text;
  json::Object object(text);
  object.raw("range", json::quote(range));
  object.raw("interval_s", std::to_string(found->span.interval.count()));
  object.raw("end", end.count() > 0 ? json::quote(policy::time_text(end.count())) : "null");
  if (!upstream.empty()) object.raw("upstream", json::quote(upstream));
  std::string series;
  json::Object columns(series);
  for (const auto& column : kColumns) columns.raw(column.name, column_json(found->points, column));
  columns.end();
  object.raw("series", series);
  object.end();
  return text;
}

}  // namespace patchbay::frontends
