// top: the upstreams, or the tools, of a running gateway as a table that is refreshed.
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
constexpr std::int64_t kMostWindow = 60;  // Seconds that the gateway looks back.

// One row: an upstream or a tool.
struct TopRow {
  LoadStatus load;
  const UpstreamStatus* upstream = nullptr;  // Null: it is a tool.
};

struct Column {
  std::string_view name;
  double (*value)(const TopRow& row);  // Sorts in descending order.
};
constexpr std::array kColumns{
    Column{"rate", [](const TopRow& row) { return row.load.rate; }},
    Column{"errors", [](const TopRow& row) { return row.load.error_rate; }},
    Column{"latency", [](const TopRow& row) { return row.load.p95.value_or(0); }},
    Column{"in-flight",
           [](const TopRow& row) { return row.upstream ? row.upstream->in_flight : 0.0; }},
    Column{"calls", [](const TopRow& row) { return row.load.calls; }},
    Column{"tools", [](const TopRow& row) { return row.upstream ? row.upstream->tools : 0.0; }},
    Column{"name", [](const TopRow&) { return 0.0; }},
};

std::vector<TopRow> rows_of(const GatewayState& state, const TopOptions& top) {
  std::vector<TopRow> rows;
  if (top.tools) {
    for (const auto& tool : state.tools) rows.push_back({tool});
  } else {
    for (const auto& one : state.upstreams) {
      rows.push_back({one.load, &one});
      rows.back().load.name = one.name;
    }
  }
  const auto* const column = std::ranges::find(kColumns, top.sort, &Column::name);
  std::ranges::sort(rows, [&](const TopRow& a, const TopRow& b) {
    const double left = column->value(a);
    const double right = column->value(b);
    return left != right ? left > right : a.load.name < b.load.name;
  });
  return rows;
}

std::size_t screen_lines() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return 24;
  return std::max<std::size_t>(size.ws_row, kFewestLines);
}

Cell number(std::string text) { return {std::move(text), Colour::none, true}; }

Cell latency(const std::optional<double>& milliseconds) {
  return number(milliseconds ? fmt::format("{:.1f}", *milliseconds) : "-");
}

Row top_head(const TopOptions& top) {
  Row head{{top.tools ? "tool" : "upstream"}};
  if (!top.tools) head.insert(head.end(), {{"state"}, number("tools"), number("in flight")});
  head.insert(head.end(), {number("calls"), number("calls/s"), number("errors/s"), number("p50 ms"),
                           number("p95 ms"), number("p99 ms")});
  for (auto& cell : head) cell.colour = Colour::faint;
  return head;
}

Row cells_of(const TopRow& one) {
  Row cells{{on_line(one.load.name)}};
  if (one.upstream) {
    const bool up = one.upstream->up;
    cells.push_back({up ? "up" : "down", up ? Colour::good : Colour::bad});
    cells.push_back(number(fmt::format("{:.0f}", one.upstream->tools)));
    cells.push_back(number(fmt::format("{:.0f}", one.upstream->in_flight)));
  }
  cells.push_back(number(fmt::format("{:.0f}", one.load.calls)));
  cells.push_back(number(fmt::format("{:.1f}", one.load.rate)));
  cells.push_back(number(fmt::format("{:.1f}", one.load.error_rate)));
  cells.push_back(latency(one.load.p50));
  cells.push_back(latency(one.load.p95));
  cells.push_back(latency(one.load.p99));
  return cells;
}

std::string screen(const GatewayState& state, const TopOptions& top) {
  std::string text = on_line(state.status);
  if (state.admin) {
    text += fmt::format("  {:.0f} in flight  {}  {}  {:.0f} MiB  {:.1f} calls/s  {:.1f} errors/s",
                        state.in_flight, count_of(state.sessions, "session", "sessions"),
                        count_of(state.connections, "connection", "connections"),
                        state.memory / (1024 * 1024), state.total.rate, state.total.error_rate);
  }
  text += "\n\n";
  const auto loads = rows_of(state, top);
  const std::size_t room = is_terminal(stdout) ? screen_lines() - kHeadLines - 1 : loads.size();
  std::vector<Row> rows{top_head(top)};
  for (std::size_t i = 0; i < std::min(room, loads.size()); ++i) {
    rows.push_back(cells_of(loads[i]));
  }
  text += table_text(rows, stdout);
  if (loads.size() > room) text += fmt::format("… {} more\n", loads.size() - room);
  return text;
}

Task<int> refresh(Control& control, const TopOptions& top, config::Duration interval,
                  bool as_json) {
  const bool terminal = is_terminal(stdout);
  const int count = top.count > 0 ? top.count : terminal ? 0 : 1;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(interval).count();
  const int window = static_cast<int>(std::clamp<std::int64_t>(seconds, 1, kMostWindow));
  for (int printed = 0;;) {
    const auto began = here().now();
    auto state = co_await fetch_state(control, window);
    if (!state) co_return state.error();
    if (as_json) {
      print_raw(to_json(*state) + "\n");
    } else {
      if (terminal) print_raw(kClear);
      print_raw(screen(*state, top));
    }
    std::fflush(stdout);
    if (++printed == count) co_return kExitOk;
    auto slept = co_await sleep_until(began + interval);
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
