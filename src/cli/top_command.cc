// top: the upstreams of a running gateway as a table that is refreshed.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "async/executor.h"
#include "async/one_shot.h"
#include "cli/client_run.h"
#include "cli/gateway_state.h"
#include "cli/status_command.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "config/units.h"

namespace patchbay::app {
namespace {

constexpr std::string_view kClear = "\x1b[H\x1b[J";
constexpr std::size_t kHeadLines = 3;
constexpr std::size_t kFewestLines = 10;
constexpr config::Duration kLeastInterval{100};

// An upstream over one interval.
struct Load {
  UpstreamStatus now;
  double rate = 0;        // Calls per second.
  double error_rate = 0;  // Errors per second.
  double latency_ms = 0;  // The mean of the calls that ended.
};

struct Column {
  std::string_view name;
  double (*value)(const Load& load);  // Sorts in descending order.
};
constexpr std::array kColumns{
    Column{"rate", [](const Load& load) { return load.rate; }},
    Column{"errors", [](const Load& load) { return load.error_rate; }},
    Column{"latency", [](const Load& load) { return load.latency_ms; }},
    Column{"in-flight", [](const Load& load) { return load.now.in_flight; }},
    Column{"calls", [](const Load& load) { return load.now.calls; }},
    Column{"tools", [](const Load& load) { return load.now.tools; }},
    Column{"name", [](const Load&) { return 0.0; }},
};

// `before` is the state `seconds` ago; without one, the numbers are since the start.
std::vector<Load> loads_of(const GatewayState& state, const GatewayState* before, double seconds) {
  std::vector<Load> loads;
  for (const auto& now : state.upstreams) {
    UpstreamStatus earlier;
    if (before) {
      const auto found = std::ranges::find(before->upstreams, now.name, &UpstreamStatus::name);
      // After a restart of the gateway the counters begin again.
      if (found != before->upstreams.end() && found->calls <= now.calls) earlier = *found;
    }
    Load load{now};
    const double calls = now.calls - earlier.calls;
    if (before) load.rate = calls / seconds;
    if (before) load.error_rate = (now.errors - earlier.errors) / seconds;
    if (calls > 0) load.latency_ms = (now.seconds - earlier.seconds) / calls * 1000;
    loads.push_back(std::move(load));
  }
  return loads;
}

void sort_loads(std::vector<Load>& loads, std::string_view by) {
  const auto* const column = std::ranges::find(kColumns, by, &Column::name);
  std::ranges::sort(loads, [&](const Load& a, const Load& b) {
    const double left = column->value(a);
    const double right = column->value(b);
    return left != right ? left > right : a.now.name < b.now.name;
  });
}

std::size_t screen_lines() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return 24;
  return std::max<std::size_t>(size.ws_row, kFewestLines);
}

Cell number(std::string text) { return {std::move(text), Colour::none, true}; }

std::string screen(const GatewayState& state, std::vector<Load> loads, const TopOptions& top) {
  sort_loads(loads, top.sort);
  std::string text = fmt::format(
      "{}  {:.0f} in flight  {}  {}  {:.0f} MiB\n\n", on_line(state.status), state.in_flight,
      count_of(state.sessions, "session", "sessions"),
      count_of(state.connections, "connection", "connections"), state.memory / (1024 * 1024));
  const bool terminal = is_terminal(stdout);
  const std::size_t room = terminal ? screen_lines() - kHeadLines - 1 : loads.size();
  std::vector<Row> rows{{{"upstream"},
                         {"state"},
                         number("tools"),
                         number("in flight"),
                         number("calls"),
                         number("calls/s"),
                         number("errors/s"),
                         number("ms")}};
  for (auto& cell : rows.front()) cell.colour = Colour::faint;
  for (std::size_t i = 0; i < std::min(room, loads.size()); ++i) {
    const Load& load = loads[i];
    rows.push_back({{on_line(load.now.name)},
                    {load.now.up ? "up" : "down", load.now.up ? Colour::good : Colour::bad},
                    number(fmt::format("{:.0f}", load.now.tools)),
                    number(fmt::format("{:.0f}", load.now.in_flight)),
                    number(fmt::format("{:.0f}", load.now.calls)),
                    number(fmt::format("{:.1f}", load.rate)),
                    number(fmt::format("{:.1f}", load.error_rate)),
                    number(fmt::format("{:.1f}", load.latency_ms))});
  }
  text += table_text(rows, stdout);
  if (loads.size() > room) text += fmt::format("… {} more\n", loads.size() - room);
  return text;
}

Task<int> refresh(Control& control, const TopOptions& top, config::Duration interval,
                  bool as_json) {
  const bool terminal = is_terminal(stdout);
  const int count = top.count > 0 ? top.count : terminal ? 0 : 1;
  std::optional<GatewayState> before;
  Deadline last = here().now();
  for (int printed = 0;;) {
    auto state = co_await fetch_state(control);
    if (!state) co_return state.error();
    const auto now = here().now();
    const double seconds = std::max(std::chrono::duration<double>(now - last).count(), 0.001);
    last = now;
    if (as_json) {
      print_raw(to_json(*state) + "\n");
    } else {
      auto loads = loads_of(*state, before ? &*before : nullptr, seconds);
      if (terminal) print_raw(kClear);
      print_raw(screen(*state, std::move(loads), top));
    }
    std::fflush(stdout);
    if (++printed == count) co_return kExitOk;
    before = *std::move(state);
    auto slept = co_await sleep_until(now + interval);
    if (!slept) co_return slept.error();
  }
}

}  // namespace

std::vector<std::string> top_columns() {
  std::vector<std::string> names;
  for (const auto& column : kColumns) names.emplace_back(column.name);
  return names;
}

int show_top(const ClientOptions& options, const TopOptions& top) {
  auto args = options.args;
  const std::string server = take_target(args);
  if (!args.empty()) return too_many_args(args);
  auto interval = config::parse_duration(top.interval);
  if (!interval || *interval < kLeastInterval) {
    complain("patchbay: --interval must be a time of at least {}, such as 2s\n",
             config::print(kLeastInterval));
    return kExitUsage;
  }
  const auto work = [&](Control& control) {
    return refresh(control, top, *interval, options.json);
  };
  return run_control(server, options, work, kExitOk);  // It runs until it is interrupted.
}

}  // namespace patchbay::app
