// login, logout: signs a person in to an upstream of a running gateway, or out of it, through its
// control API.
#include <fmt/format.h>

#include <cstdio>

#include "async/one_shot.h"
#include "cli/client_run.h"
#include "cli/control.h"
#include "cli/terminal.h"
#include "json/read.h"
#include "net/http/syntax/percent.h"

namespace patchbay::app {
namespace {

constexpr std::string_view kSignInsPath = "/control/sign-ins";
constexpr auto kBetweenQuestions = std::chrono::milliseconds(500);

// Prints the link, and waits until somebody has signed in there, or it has expired.
Task<void> sign_in(Control& control, std::string path, bool as_json) {
  auto offer = co_await control.ask("POST", std::move(path));
  if (!offer) co_return offer.error();
  const std::string id = json::string_member(*offer, "id").value_or("");
  const std::string url = json::string_member(*offer, "url").value_or("");
  if (as_json) {
    print_raw(*offer + "\n");
  } else {
    print("Open this page in your browser:\n\n  {}\n\n", url);
  }
  std::fflush(stdout);
  for (;;) {
    auto slept = co_await sleep_until(here().now() + kBetweenQuestions);
    if (!slept) co_return slept;
    auto answer = co_await control.ask("GET", fmt::format("{}/{}", kSignInsPath, id));
    if (!answer) co_return answer.error();
    const std::string state = json::string_member(*answer, "state").value_or("");
    if (state == "done") break;
    if (state != "waiting") co_return Error{Code::forbidden, state};
  }
  if (!as_json) print("signed in\n");
  co_return ok();
}

}  // namespace

int log_in(const ClientOptions& options, bool own, bool forget) {
  auto args = options.args;
  const std::string server = take_target(args);
  if (args.size() > 1) return too_many_args(args);
  if (args.empty()) {
    complain("patchbay: which upstream?\n");
    return kExitUsage;
  }
  const std::string path = fmt::format("{}/{}{}", kSignInsPath, net::percent_encode(args.front()),
                                       own ? "?for=gateway" : "");
  return run_control(server, options, [&](Control& control) -> Task<int> {
    Result<void> done = ok();
    if (forget) {
      auto answer = co_await control.ask("DELETE", path);
      if (!answer) done = answer.error();
    } else {
      done = co_await sign_in(control, path, options.json);
    }
    if (!done) co_return done.error();
    co_return kExitOk;
  });
}

}  // namespace patchbay::app
