// approve: decides about calls that wait for a person, through the control API of a gateway.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "cli/client_run.h"
#include "cli/terminal.h"
#include "json/read.h"
#include "mcp_client/connect/http.h"
#include "net/http/client/pool.h"
#include "net/http/syntax/percent.h"
#include "net/process/signals.h"

namespace patchbay::app {
namespace {

constexpr std::string_view kPath = "/control/approvals";
constexpr std::size_t kMostAnswer = 64 << 20;

struct Asked {
  std::string method;
  std::string path;
};

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

Task<int> ask(const transport::HttpTarget& target, const Asked& asked,
              const ClientOptions& options) {
  const Deadline deadline =
      here().now() + std::chrono::milliseconds(static_cast<std::int64_t>(options.seconds * 1000));
  net::HttpPool pool(target.url, target.tls, {});
  const net::HttpCall call{asked.method, asked.path, target.fields, ""};
  auto response = co_await pool.request(call, deadline);
  if (!response) co_return response.error();
  auto body = co_await (*response)->read_all(kMostAnswer, deadline);
  if (!body) co_return body.error();
  if ((*response)->status() == 200) {
    print_answer(*body, options.json);
    co_return kExitOk;
  }
  complain("patchbay: {}\n",
           json::string_member(*body, "error")
               .value_or(fmt::format("the gateway answered {}", (*response)->status())));
  co_return (*response)->status() == 404 ? kExitUnknown : kExitFailed;
}

}  // namespace

int approve(const ClientOptions& options, bool refuse) {
  auto args = options.args;
  const std::string server = take_target(args);
  if (args.size() > 1) return too_many_args(args);
  auto target = control_target(server, options);
  if (!target) {
    complain("patchbay: {}: {}\n", server, target.error().message);
    return kExitUsage;
  }
  Asked asked{"GET", std::string(kPath)};
  if (!args.empty()) {
    asked = {refuse ? "DELETE" : "POST",
             fmt::format("{}/{}", kPath, net::percent_encode(args.front()))};
  }
  net::block_signals();
  net::Loop loop;
  int code = kExitFailed;
  auto main = [&]() -> Task<void> {
    net::Signals signals([](int) { std::_Exit(kExitFailed); });
    auto done = co_await ask(*target, asked, options);
    if (done) code = *done;
    if (!done) complain("patchbay: {}: {}\n", server, done.error().message);
    loop.quit();
    co_return ok();
  };
  Scope scope;
  loop.post([&] { scope.spawn(main()); });
  loop.run();
  std::fflush(stdout);
  return code;
}

}  // namespace patchbay::app
