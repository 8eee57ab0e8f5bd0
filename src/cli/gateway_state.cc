#include "cli/gateway_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "json/read.h"
#include "json/write.h"

namespace patchbay::app {
namespace {

// One line of /metrics: name{labels} value.
struct Sample {
  std::string_view name;
  std::string_view labels;
  double value = 0;
};

Sample read_sample(std::string_view line) {
  Sample sample;
  const std::size_t end = line.rfind(' ');
  if (line.starts_with('#') || end == std::string_view::npos) return sample;
  const auto number = line.substr(end + 1);
  std::from_chars(number.data(), number.data() + number.size(), sample.value);
  const auto series = line.substr(0, end);
  const std::size_t brace = series.find('{');
  sample.name = series.substr(0, brace);
  if (brace != std::string_view::npos) sample.labels = series.substr(brace);
  return sample;
}

// The value of a label. Names of upstreams and outcomes need no escapes.
std::string_view label(std::string_view labels, std::string_view name) {
  const std::string key = fmt::format("{}=\"", name);
  const std::size_t begin = labels.find(key);
  if (begin == std::string_view::npos) return {};
  const auto rest = labels.substr(begin + key.size());
  return rest.substr(0, rest.find('"'));
}

struct Gauge {
  std::string_view name;
  double GatewayState::* value;
};
constexpr std::array kGauges{
    Gauge{"patchbay_calls_in_flight", &GatewayState::in_flight},
    Gauge{"patchbay_sessions", &GatewayState::sessions},
    Gauge{"patchbay_connections", &GatewayState::connections},
    Gauge{"patchbay_resident_memory_bytes", &GatewayState::memory},
};

struct UpstreamMetric {
  std::string_view name;
  double UpstreamStatus::* value;
};
constexpr std::array kUpstreamMetrics{
    UpstreamMetric{"patchbay_upstream_calls_in_flight", &UpstreamStatus::in_flight},
    UpstreamMetric{"patchbay_calls_total", &UpstreamStatus::calls},
    UpstreamMetric{"patchbay_call_seconds_sum", &UpstreamStatus::seconds},
    UpstreamMetric{"patchbay_upstream_restarts_total", &UpstreamStatus::restarts},
};

// The gateway bounds how many clients it distinguishes (limits.max_metric_names).
void add_client_calls(std::vector<ClientStatus>& clients, const Sample& sample) {
  const auto name = label(sample.labels, "client");
  auto client = std::ranges::find(clients, name, &ClientStatus::name);
  if (client == clients.end()) client = clients.insert(client, {std::string(name)});
  client->calls += sample.value;
  if (label(sample.labels, "outcome") != "ok") client->errors += sample.value;
}

void add_sample(GatewayState& state, const Sample& sample) {
  if (sample.name == "patchbay_client_calls_total") add_client_calls(state.clients, sample);
  for (const auto& gauge : kGauges) {
    if (gauge.name == sample.name) state.*gauge.value += sample.value;
  }
  const auto upstream =
      std::ranges::find(state.upstreams, label(sample.labels, "upstream"), &UpstreamStatus::name);
  if (upstream == state.upstreams.end()) return;
  for (const auto& metric : kUpstreamMetrics) {
    if (metric.name == sample.name) (*upstream).*metric.value += sample.value;
  }
  const bool failed =
      sample.name == "patchbay_calls_total" && label(sample.labels, "outcome") != "ok";
  if (failed) upstream->errors += sample.value;
}

}  // namespace

GatewayState read_state(std::string_view ready, std::string_view metrics) {
  GatewayState state;
  state.status = json::string_member(ready, "status").value_or("unknown");
  json::each_element(json::member(ready, "upstreams").value_or("[]"), [&](std::string_view raw) {
    const auto text = [&raw](std::string_view key) {
      return json::string_member(raw, key).value_or("");
    };
    UpstreamStatus one{text("name"), text("kind"), text("state") == "up", text("detail")};
    one.tools =
        static_cast<double>(json::as_int(json::member(raw, "tools").value_or("0")).value_or(0));
    state.upstreams.push_back(std::move(one));
  });
  json::each_element(
      json::member(ready, "reload_refused").value_or("[]"),
      [&](std::string_view raw) { state.refused.push_back(json::unquote_leniently(raw)); });
  while (!metrics.empty()) {
    const std::size_t end = std::min(metrics.find('\n'), metrics.size());
    add_sample(state, read_sample(metrics.substr(0, end)));
    metrics.remove_prefix(std::min(end + 1, metrics.size()));
  }
  return state;
}

Task<GatewayState> fetch_state(Control& control) {
  auto ready = co_await control.read_page("/ready");
  if (!ready) co_return ready.error();
  auto metrics = co_await control.ask("GET", "/metrics");
  if (!metrics) co_return metrics.error();
  if (!json::check(*ready)) co_return Error{Code::upstream_failed, "/ready is not JSON"};
  co_return read_state(*ready, *metrics);
}

std::string to_json(const GatewayState& state) {
  std::string upstreams;
  for (const auto& one : state.upstreams) {
    upstreams += fmt::format(
        R"({}{{"name":{},"kind":{},"state":"{}","detail":{},"tools":{},"in_flight":{},"calls":{},"errors":{},"seconds":{},"restarts":{}}})",
        upstreams.empty() ? "" : ",", json::quote(one.name), json::quote(one.kind),
        one.up ? "up" : "down", json::quote(one.detail), one.tools, one.in_flight, one.calls,
        one.errors, one.seconds, one.restarts);
  }
  std::string clients;
  for (const auto& one : state.clients) {
    clients += fmt::format(R"({}{{"name":{},"calls":{},"errors":{}}})", clients.empty() ? "" : ",",
                           json::quote(one.name), one.calls, one.errors);
  }
  std::string refused;
  for (const auto& why : state.refused) refused += (refused.empty() ? "" : ",") + json::quote(why);
  return fmt::format(
      R"({{"status":{},"in_flight":{},"sessions":{},"connections":{},"memory":{},"upstreams":[{}],"clients":[{}],"reload_refused":[{}]}})",
      json::quote(state.status), state.in_flight, state.sessions, state.connections, state.memory,
      upstreams, clients, refused);
}

std::string count_of(double number, std::string_view one, std::string_view several) {
  return fmt::format("{:.0f} {}", number, number == 1 ? one : several);
}

}  // namespace patchbay::app
