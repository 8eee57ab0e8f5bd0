#include "cli/gateway_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/read.h"
#include "json/write.h"

namespace patchbay::app {
namespace {

std::string text_of(std::string_view raw, std::string_view key) {
  return json::string_member(raw, key).value_or("");
}

std::optional<double> maybe_number(std::string_view raw, std::string_view key) {
  const auto member = json::member(raw, key);
  return member ? json::as_double(*member) : std::nullopt;
}

double state_number(std::string_view raw, std::string_view key) {
  return maybe_number(raw, key).value_or(0);
}

std::vector<std::string> texts_of(std::string_view raw, std::string_view key) {
  std::vector<std::string> texts;
  json::each_element(json::member(raw, key).value_or("[]"), [&](std::string_view one) {
    texts.push_back(json::as_string(one).value_or(""));
  });
  return texts;
}

LoadStatus read_load_status(std::string_view raw) {
  return {text_of(raw, "name"),
          state_number(raw, "calls"),
          state_number(raw, "errors"),
          state_number(raw, "calls_per_second"),
          state_number(raw, "errors_per_second"),
          maybe_number(raw, "p50_ms"),
          maybe_number(raw, "p95_ms"),
          maybe_number(raw, "p99_ms")};
}

std::vector<LoadStatus> read_loads(std::string_view raw, std::string_view key) {
  std::vector<LoadStatus> loads;
  json::each_element(json::member(raw, key).value_or("[]"),
                     [&](std::string_view one) { loads.push_back(read_load_status(one)); });
  return loads;
}

UpstreamStatus read_upstream(std::string_view raw, const std::vector<LoadStatus>& loads) {
  UpstreamStatus one{text_of(raw, "name"),          text_of(raw, "kind"),
                     text_of(raw, "state") == "up", text_of(raw, "detail"),
                     state_number(raw, "tools"),    state_number(raw, "in_flight"),
                     state_number(raw, "restarts")};
  const auto load = std::ranges::find(loads, one.name, &LoadStatus::name);
  if (load != loads.end()) one.load = *load;
  return one;
}

std::string optional_json(const std::optional<double>& number) {
  return number ? fmt::format("{}", *number) : "null";
}

void add_load(json::Object& object, const LoadStatus& load) {
  object.raw("calls", fmt::format("{}", load.calls));
  object.raw("errors", fmt::format("{}", load.errors));
  object.raw("calls_per_second", fmt::format("{}", load.rate));
  object.raw("errors_per_second", fmt::format("{}", load.error_rate));
  object.raw("p50_ms", optional_json(load.p50));
  object.raw("p95_ms", optional_json(load.p95));
  object.raw("p99_ms", optional_json(load.p99));
}

std::string loads_json(const std::vector<LoadStatus>& loads) {
  std::string list = "[";
  for (const auto& load : loads) {
    if (list.size() > 1) list += ',';
    json::Object object(list);
    object.raw("name", json::quote(load.name));
    add_load(object, load);
  }
  return list + "]";
}

std::string upstreams_json(const std::vector<UpstreamStatus>& upstreams) {
  std::string list = "[";
  for (const auto& one : upstreams) {
    if (list.size() > 1) list += ',';
    json::Object object(list);
    object.raw("name", json::quote(one.name));
    object.raw("kind", json::quote(one.kind));
    object.raw("state", one.up ? "\"up\"" : "\"down\"");
    object.raw("detail", json::quote(one.detail));
    object.raw("tools", fmt::format("{}", one.tools));
    object.raw("in_flight", fmt::format("{}", one.in_flight));
    object.raw("restarts", fmt::format("{}", one.restarts));
    add_load(object, one.load);
  }
  return list + "]";
}

std::string texts_json(const std::vector<std::string>& texts) {
  std::string list = "[";
  for (const auto& text : texts) list += (list.size() > 1 ? "," : "") + json::quote(text);
  return list + "]";
}

}  // namespace

GatewayState read_state(const StateAnswers& answers) {
  const std::string& raw = answers.status;
  GatewayState state;
  state.status = json::string_member(raw, "status").value_or("unknown");
  state.version = text_of(raw, "version");
  state.digest = text_of(raw, "configuration_digest");
  state.uptime = state_number(raw, "uptime_seconds");
  state.admin = json::member(raw, "admin") == "true";
  state.in_flight = state_number(raw, "calls_in_flight");
  state.sessions = state_number(raw, "sessions");
  state.connections = state_number(raw, "connections");
  state.memory = state_number(raw, "resident_bytes");
  state.refused = texts_of(raw, "reload_refused");
  state.problems = texts_of(raw, "problems");
  state.window = state_number(answers.load, "window_seconds");
  state.total = read_load_status(json::member(answers.load, "total").value_or("{}"));
  state.tools = read_loads(answers.load, "tools");
  state.clients = read_loads(answers.load, "clients");
  const auto loads = read_loads(answers.load, "upstreams");
  json::each_element(
      json::member(answers.upstreams, "upstreams").value_or("[]"),
      [&](std::string_view one) { state.upstreams.push_back(read_upstream(one, loads)); });
  return state;
}

Task<GatewayState> fetch_state(Control& control, int window) {
  StateAnswers answers;
  const std::string load = fmt::format("/control/v1/metrics?window={}s", window);
  const std::pair<std::string, std::string*> pages[] = {
      {"/control/v1/status", &answers.status},
      {"/control/v1/upstreams", &answers.upstreams},
      {load, &answers.load}};
  for (const auto& [path, answer] : pages) {
    auto text = co_await control.read_json(path);
    if (!text) co_return text.error();
    *answer = *std::move(text);
  }
  co_return read_state(answers);
}

std::string to_json(const GatewayState& state) {
  std::string text;
  json::Object object(text);
  object.raw("status", json::quote(state.status));
  object.raw("version", json::quote(state.version));
  object.raw("configuration_digest", json::quote(state.digest));
  object.raw("uptime_seconds", fmt::format("{}", state.uptime));
  object.raw("in_flight", fmt::format("{}", state.in_flight));
  object.raw("sessions", fmt::format("{}", state.sessions));
  object.raw("connections", fmt::format("{}", state.connections));
  object.raw("memory", fmt::format("{}", state.memory));
  object.raw("window_seconds", fmt::format("{}", state.window));
  object.raw("upstreams", upstreams_json(state.upstreams));
  object.raw("tools", loads_json(state.tools));
  object.raw("clients", loads_json(state.clients));
  object.raw("reload_refused", texts_json(state.refused));
  object.raw("problems", texts_json(state.problems));
  object.end();
  return text;
}

std::string count_of(double number, std::string_view one, std::string_view several) {
  return fmt::format("{:.0f} {}", number, number == 1 ? one : several);
}

}  // namespace patchbay::app
