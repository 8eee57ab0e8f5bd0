#include "cli/status_command.h"

#include <fmt/format.h>

#include "cli/client_run.h"
#include "cli/gateway_state.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "config/units.h"

namespace patchbay::app {
namespace {

Cell right(std::string text) { return {std::move(text), Colour::none, true}; }

// "3d 4h", "4h 5m", "5m 6s", "6s"
std::string uptime_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds);
  const std::int64_t days = whole / 86'400;
  const std::int64_t hours = whole / 3'600 % 24;
  const std::int64_t minutes = whole / 60 % 60;
  if (days > 0) return fmt::format("{}d {}h", days, hours);
  if (hours > 0) return fmt::format("{}h {}m", hours, minutes);
  if (minutes > 0) return fmt::format("{}m {}s", minutes, whole % 60);
  return fmt::format("{}s", whole);
}

void print_totals(const GatewayState& state) {
  const bool ready = state.status == "ready";
  print_raw(painted(on_line(state.status), ready ? Colour::good : Colour::bad, stdout));
  if (state.admin) {
    print("  {:.0f} in flight  {}  {}  {:.0f} MiB", state.in_flight,
          count_of(state.sessions, "session", "sessions"),
          count_of(state.connections, "connection", "connections"), state.memory / (1024 * 1024));
  }
  print("\nversion {}  up {}", state.version, uptime_text(state.uptime));
  if (!state.digest.empty()) print("  configuration {}", state.digest);
  print("\n");
}

void print_state(const GatewayState& state) {
  print_totals(state);
  std::vector<Row> rows;
  for (const auto& one : state.upstreams) {
    rows.push_back({{on_line(one.name)},
                    {on_line(one.kind)},
                    {one.up ? "up" : "down", one.up ? Colour::good : Colour::bad},
                    right(count_of(one.tools, "tool", "tools")),
                    right(fmt::format("{:.0f} in flight", one.in_flight)),
                    right(count_of(one.load.calls, "call", "calls")),
                    right(count_of(one.load.errors, "error", "errors")),
                    {on_line(one.detail), Colour::faint}});
  }
  print_raw(table_text(rows, stdout));
  if (rows.empty()) print("no upstreams: none is configured, or the caller may use none\n");
  std::vector<Row> clients;
  for (const auto& one : state.clients) {
    clients.push_back({{"client " + on_line(one.name)},
                       right(count_of(one.calls, "call", "calls")),
                       right(count_of(one.errors, "error", "errors"))});
  }
  print_raw(table_text(clients, stdout));
  for (const auto& why : state.refused) print("change not applied: {}\n", why);
  for (const auto& problem : state.problems) print("problem: {}\n", problem);
}

constexpr int kStatusWindow = 10;  // Seconds.

}  // namespace

int show_status(const ClientOptions& options) {
  auto args = options.args;
  const std::string server = take_target(args);
  if (!args.empty()) return too_many_args(args);
  return run_control(server, options, [&](Control& control) -> Task<int> {
    auto state = co_await fetch_state(control, kStatusWindow);
    if (!state) co_return state.error();
    if (options.json) {
      print_raw(to_json(*state) + "\n");
    } else {
      print_state(*state);
    }
    co_return kExitOk;
  });
}

}  // namespace patchbay::app
