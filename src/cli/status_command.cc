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

void print_state(const GatewayState& state) {
  const bool ready = state.status == "ready";
  print_raw(painted(state.status, ready ? Colour::good : Colour::bad, stdout));
  print("  {:.0f} in flight  {}  {}  {:.0f} MiB\n", state.in_flight,
        count_of(state.sessions, "session", "sessions"),
        count_of(state.connections, "connection", "connections"), state.memory / (1024 * 1024));
  std::vector<Row> rows;
  for (const auto& one : state.upstreams) {
    rows.push_back({{on_line(one.name)},
                    {one.kind},
                    {one.up ? "up" : "down", one.up ? Colour::good : Colour::bad},
                    right(count_of(one.tools, "tool", "tools")),
                    right(fmt::format("{:.0f} in flight", one.in_flight)),
                    right(count_of(one.calls, "call", "calls")),
                    right(count_of(one.errors, "error", "errors")),
                    {on_line(one.detail), Colour::faint}});
  }
  print_raw(table_text(rows, stdout));
  if (rows.empty()) {
    print("no upstreams: none is configured, or the caller has no credentials; see --token\n");
  }
  std::vector<Row> clients;
  for (const auto& one : state.clients) {
    clients.push_back({{"client " + on_line(one.name)},
                       right(count_of(one.calls, "call", "calls")),
                       right(count_of(one.errors, "error", "errors"))});
  }
  print_raw(table_text(clients, stdout));
  for (const auto& why : state.refused) print("change not applied: {}\n", why);
}

}  // namespace

int show_status(const ClientOptions& options) {
  auto args = options.args;
  const std::string server = take_target(args);
  if (!args.empty()) return too_many_args(args);
  return run_control(server, options, [&](Control& control) -> Task<int> {
    auto state = co_await fetch_state(control);
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
