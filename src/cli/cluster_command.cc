// cluster: the gateways that act as one with a running gateway.
#include <fmt/format.h>

#include "cli/client_run.h"
#include "cli/control.h"
#include "cli/status_command.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "json/read.h"

namespace patchbay::app {
namespace {

std::string text_in(std::string_view raw, std::string_view key) {
  return on_line(json::string_member(raw, key).value_or(""));
}

void print_members(std::string_view answer) {
  std::vector<Row> rows;
  json::each_element(json::member(answer, "members").value_or("[]"), [&](std::string_view raw) {
    const std::string state = text_in(raw, "state");
    const bool self = json::member(raw, "self").and_then(json::as_bool).value_or(false);
    rows.push_back({{text_in(raw, "name")},
                    {text_in(raw, "address")},
                    {state, state == "member" ? Colour::good : Colour::bad},
                    {"version " + text_in(raw, "version")},
                    {"since " + text_in(raw, "joined")},
                    {text_in(raw, "id"), Colour::faint},
                    {self ? "(this one)" : "", Colour::faint}});
  });
  if (rows.empty()) print("this gateway is alone: cluster.listen is not set\n");
  print_raw(table_text(rows, stdout));
}

}  // namespace

int show_cluster(const ClientOptions& options) {
  auto args = options.args;
  const std::string server = take_target(args);
  if (!args.empty()) return too_many_args(args);
  return run_control(server, options, [&](Control& control) -> Task<int> {
    auto answer = co_await control.read_json("/control/v1/cluster");
    if (!answer) co_return answer.error();
    if (options.json) {
      print_raw(*answer);
    } else {
      print_members(*answer);
    }
    co_return kExitOk;
  });
}

}  // namespace patchbay::app
