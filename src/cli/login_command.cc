// login, logout: signs a person in to an upstream of a running gateway, or out of it, through its
// control API.
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

constexpr std::string_view kPath = "/control/sign-ins";
constexpr std::size_t kMostAnswer = 1 << 20;
constexpr auto kBetweenLooks = std::chrono::milliseconds(500);

// A connection to the control API.
class Control {
 public:
  Control(const transport::HttpTarget& target, double seconds)
      : fields_(target.fields),
        timeout_(static_cast<std::int64_t>(seconds * 1000)),
        pool_(target.url, target.tls, {}) {}

  // The body of a successful answer. A missing object is Code::not_found.
  Task<std::string> ask(std::string_view method, std::string path) {
    const Deadline deadline = here().now() + timeout_;
    const net::HttpCall call{method, path, fields_, ""};
    auto response = co_await pool_.request(call, deadline);
    if (!response) co_return response.error();
    auto body = co_await (*response)->read_all(kMostAnswer, deadline);
    if (!body) co_return body.error();
    const int status = (*response)->status();
    if (status == 200) co_return body;
    co_return Error{status == 404 ? Code::not_found : Code::upstream_failed,
                    json::string_member(*body, "error")
                        .value_or(fmt::format("the gateway answered {}", status))};
  }

 private:
  const std::string fields_;
  const std::chrono::milliseconds timeout_;
  net::HttpPool pool_;
};

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
    auto slept = co_await sleep_until(here().now() + kBetweenLooks);
    if (!slept) co_return slept;
    auto answer = co_await control.ask("GET", fmt::format("{}/{}", kPath, id));
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
  auto target = control_target(server, options);
  if (!target) {
    complain("patchbay: {}: {}\n", server, target.error().message);
    return kExitUsage;
  }
  const std::string path =
      fmt::format("{}/{}{}", kPath, net::percent_encode(args.front()), own ? "?for=gateway" : "");
  net::block_signals();
  net::Loop loop;
  int code = kExitOk;
  auto main = [&]() -> Task<void> {
    net::Signals signals([](int) { std::_Exit(kExitFailed); });
    Control control(*target, options.seconds);
    Result<void> done = ok();
    if (forget) {
      auto answer = co_await control.ask("DELETE", path);
      if (!answer) done = answer.error();
    } else {
      done = co_await sign_in(control, path, options.json);
    }
    if (!done) {
      code = done.error().code == Code::not_found ? kExitUnknown : kExitFailed;
      complain("patchbay: {}: {}\n", server, done.error().message);
    }
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
