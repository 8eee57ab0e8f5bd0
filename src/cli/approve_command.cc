// approve: decides about calls that wait for a person, through the control API of a gateway.
#include <fmt/format.h>

#include "cli/client_run.h"
#include "cli/control.h"
#include "cli/terminal.h"
#include "json/read.h"
#include "net/http/syntax/percent.h"

namespace patchbay::app {
namespace {

constexpr std::string_view kApprovalsPath = "/control/approvals";

void print_entry(std::string_view entry) {
  const auto text = [&](std::string_view key) {
    return json::string_member(entry, key).value_or("");
  };
  print("{}  {}  {} calls {} with {}\n", text("id"), text("state"), text("caller"), text("tool"),
        json::member(entry, "arguments").value_or("{}"));
}

void print_answer(std::string_view body, bool as_json) {
  if (as_json) {
    print_raw(fmt::format("{}\n", body));
    return;
  }
  const auto list = json::member(body, "approvals");
  if (!list) return print_entry(body);
  if (*list == "[]") print("no call waits for approval\n");
  json::each_element(*list, print_entry);
}

}  // namespace

int approve(const ClientOptions& options, bool refuse) {
  auto args = options.args;
  const std::string server = take_target(args);
  if (args.size() > 1) return too_many_args(args);
  std::string method = "GET";
  std::string path(kApprovalsPath);
  if (!args.empty()) {
    method = refuse ? "DELETE" : "POST";
    path += "/" + net::percent_encode(args.front());
  }
  return run_control(server, options, [&](Control& control) -> Task<int> {
    auto body = co_await control.ask(method, path);
    if (!body) co_return body.error();
    print_answer(*body, options.json);
    co_return kExitOk;
  });
}

}  // namespace patchbay::app
