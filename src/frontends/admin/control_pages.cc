// The pages of the control API about the gateway itself: status, upstreams, clients, load.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "config/units.h"
#include "core/version.h"
#include "frontends/admin/control_api.h"
#include "frontends/admin/page_size.h"
#include "frontends/admin/upstream_json.h"
#include "frontends/time_json.h"
#include "gateway/open_clients.h"
#include "json/invisible.h"
#include "json/write.h"
#include "policy/audit/record.h"

namespace patchbay::frontends {
namespace {

constexpr auto kDefaultWindow = std::chrono::seconds(10);

std::string list_json(const std::vector<std::string>& texts) {
  std::string list = "[";
  for (const auto& text : texts) list += (list.size() > 1 ? "," : "") + json::quote(text);
  return list + "]";
}

// Counts are integers, rates are not.
std::string number_json(double number) { return fmt::format("{}", number); }

void add_quantiles(json::Object& object, const LoadCounters& counters) {
  struct Quantile {
    std::string_view name;
    double share;
  };
  constexpr std::array kQuantiles{Quantile{"p50_ms", 0.5}, Quantile{"p95_ms", 0.95},
                                  Quantile{"p99_ms", 0.99}};
  for (const auto& [name, share] : kQuantiles) {
    const double seconds = quantile_of(counters.at_most, share);
    object.raw(name, seconds < 0 ? "null" : fmt::format("{:.3f}", seconds * 1e3));
  }
}

// Rates within the window, and the totals since the start.
std::string load_json(std::string_view name, const LoadCounters& now, const LoadCounters& before,
                      double seconds) {
  const LoadCounters change = difference(now, before);
  std::string text;
  json::Object object(text);
  if (!name.empty()) object.raw("name", json::quote(name));
  object.raw("calls", number_json(now.calls));
  object.raw("errors", number_json(now.errors));
  object.raw("calls_per_second", fmt::format("{:.3f}", change.calls / seconds));
  object.raw("errors_per_second", fmt::format("{:.3f}", change.errors / seconds));
  add_quantiles(object, change);
  object.end();
  return text;
}

template <class Sees>
std::string loads_json(const std::map<std::string, LoadCounters, std::less<>>& now,
                       const std::map<std::string, LoadCounters, std::less<>>& before,
                       double seconds, Sees sees) {
  std::string list = "[";
  for (const auto& [name, counters] : now) {
    if (name.empty() || !sees(name)) continue;
    const auto earlier = before.find(name);
    if (list.size() > 1) list += ',';
    list += load_json(name, counters, earlier == before.end() ? LoadCounters() : earlier->second,
                      seconds);
  }
  return list + "]";
}

}  // namespace

Result<std::string> ControlApi::status(Asked& asked) {
  auto taken = check_taken(asked.query, "none");
  if (!taken) return taken.error();
  const OperationsView& view = shared_.operations;
  auto lines = view.upstreams();
  const auto suffices = [](const UpstreamLine& line) { return line.state.up || !line.required; };
  const bool ready = view.ready() && std::ranges::all_of(lines, suffices);
  const auto is_up = [](const UpstreamLine& line) { return line.state.up; };
  const std::string_view state = !ready                              ? "not ready"
                                 : std::ranges::all_of(lines, is_up) ? "ready"
                                                                     : "degraded";
  std::erase_if(lines, [&](const UpstreamLine& line) { return !asked.sees(line.name); });
  std::size_t tools = 0;
  for (const auto& line : lines) tools += line.tools;
  const auto now = std::chrono::system_clock::now();
  const std::chrono::duration<double> uptime = now - shared_.started;
  std::string text;
  json::Object object(text);
  object.raw("status", json::quote(state));
  object.raw("version", json::quote(kVersion));
  object.raw("admin", asked.sees_all ? "true" : "false");
  object.raw("caller", json::quote(asked.caller->name));
  object.raw("started", time_json(shared_.started));
  object.raw("uptime_seconds", fmt::format("{:.3f}", std::max(uptime.count(), 0.0)));
  object.raw("upstreams", std::to_string(lines.size()));
  object.raw("upstreams_up", std::to_string(std::ranges::count_if(lines, is_up)));
  object.raw("tools", std::to_string(tools));
  if (asked.sees_all) {
    const auto load = shared_.load.window(here().now(), kDefaultWindow);
    object.raw("configuration_digest", json::quote(view.digest ? view.digest() : ""));
    object.raw("calls_in_flight", number_json(load.now->total.in_flight));
    object.raw("calls", number_json(load.now->total.calls));
    object.raw("errors", number_json(load.now->total.errors));
    object.raw("sessions", number_json(load.now->sessions));
    object.raw("connections", number_json(load.now->connections));
    object.raw("resident_bytes", number_json(load.now->resident_bytes));
    object.raw("reload_refused",
               list_json(view.refused ? view.refused() : std::vector<std::string>()));
    object.raw("problems", list_json(view.problems ? view.problems() : std::vector<std::string>()));
  }
  object.end();
  json::escape_invisible(text);
  return text;
}

Result<std::string> ControlApi::upstreams(Asked& asked) {
  auto taken = check_taken(asked.query, "none");
  if (!taken) return taken.error();
  const auto load = shared_.load.window(here().now(), kDefaultWindow);
  std::string list;
  for (auto& line : shared_.operations.upstreams()) {
    if (!asked.sees(line.name)) continue;
    if (!asked.sees_all) line.switched.by.clear();
    const auto counters = load.now->upstreams.find(line.name);
    if (!list.empty()) list += ',';
    list += upstream_object(
        line, counters == load.now->upstreams.end() ? LoadCounters() : counters->second);
  }
  json::escape_invisible(list);
  return fmt::format("{{\"upstreams\":[{}]}}", list);
}

Result<std::string> ControlApi::clients(Asked& asked) {
  auto page = take_page(asked.query);
  if (!page) return page.error();
  auto taken = check_taken(asked.query, "limit, after");
  if (!taken) return taken.error();
  std::string list;
  std::uint64_t last = page->after;
  std::size_t count = 0;
  // One request looks at a bounded number of clients, of which the caller may see few.
  const auto open = gateway::open_clients().list(page->after, kMostLooked);
  for (const auto& [number, client] : open) {
    if (count == page->limit) break;
    last = number;
    if (!asked.sees_all && client.caller->id != asked.caller->id) continue;
    ++count;
    if (!list.empty()) list += ',';
    json::Object object(list);
    object.raw("id", std::to_string(number));
    object.raw("kind", json::quote(client.kind));
    object.raw("frontend", json::quote(client.frontend));
    object.raw("caller", json::quote(client.caller->name));
    object.raw("caller_id", json::quote(client.caller->id));
    object.raw("auth_method", json::quote(name_of(client.caller->auth_method)));
    if (!client.client.empty()) object.raw("client", json::quote(client.client));
    if (!client.revision.empty()) object.raw("revision", json::quote(client.revision));
    if (!client.from.empty()) object.raw("from", json::quote(client.from));
    object.raw("since", time_json(client.since));
  }
  json::escape_invisible(list);
  const bool more = !open.empty() && (open.back().first > last || open.size() == kMostLooked);
  return fmt::format("{{\"clients\":[{}]{}}}", list,
                     more ? fmt::format(",\"next\":\"{}\"", last) : "");
}

Result<std::string> ControlApi::load(Asked& asked) {
  std::chrono::nanoseconds length = kDefaultWindow;
  if (const auto given = asked.query.extract("window")) {
    const auto window = config::parse_duration(given.mapped());
    if (!window || *window < std::chrono::seconds(1) || *window > Load::kMostWindow) {
      return Error{Code::invalid_params, "window: a time from 1s to 60s, such as 10s"};
    }
    length = *window;
  }
  auto taken = check_taken(asked.query, "window");
  if (!taken) return taken.error();
  const auto window = shared_.load.window(here().now(), length);
  const auto sees = [&](std::string_view upstream) { return asked.sees(upstream); };
  const auto sees_tool = [&](std::string_view tool) {
    if (asked.sees_all || !asked.catalog->access()) return true;
    const std::size_t dot = tool.find('.');
    return dot != std::string_view::npos &&
           asked.catalog->access()->tool(tool.substr(0, dot), tool.substr(dot + 1)).there;
  };
  const auto sees_client = [&](std::string_view) { return asked.sees_all; };
  std::string text;
  json::Object object(text);
  object.raw("window_seconds", fmt::format("{:.3f}", window.seconds));
  if (asked.sees_all) {
    object.raw("total", load_json("", window.now->total, window.before->total, window.seconds));
  }
  object.raw("upstreams",
             loads_json(window.now->upstreams, window.before->upstreams, window.seconds, sees));
  object.raw("tools",
             loads_json(window.now->tools, window.before->tools, window.seconds, sees_tool));
  object.raw("clients",
             loads_json(window.now->clients, window.before->clients, window.seconds, sees_client));
  object.end();
  json::escape_invisible(text);
  return text;
}

}  // namespace patchbay::frontends
