#include "cli/control.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "async/scope.h"
#include "cli/client_run.h"
#include "cli/terminal.h"
#include "json/read.h"
#include "net/process/signals.h"

namespace patchbay::app {
namespace {

constexpr std::size_t kMostAnswer = 64 << 20;
constexpr std::string_view kStatusPath = "/control/v1/status";

Error error_of_status(int status, const std::string& body) {
  if (status == 401) {
    return {Code::unauthenticated,
            "the gateway requires a token; give it in PATCHBAY_TOKEN or with --token"};
  }
  return {
      status == 404 ? Code::not_found : Code::upstream_failed,
      json::string_member(body, "error").value_or(fmt::format("the gateway answered {}", status))};
}

}  // namespace

Control::Control(const transport::HttpTarget& target, double seconds)
    : fields_(target.fields),
      timeout_(static_cast<std::int64_t>(seconds * 1000)),
      pool_(target.url, target.tls, {}) {}

Task<Control::Answer> Control::exchange(std::string_view method, std::string path) {
  const Deadline deadline = here().now() + timeout_;
  const net::HttpCall call{method, path, fields_, ""};
  auto response = co_await pool_.request(call, deadline);
  if (!response) co_return response.error();
  auto body = co_await (*response)->read_all(kMostAnswer, deadline);
  if (!body) co_return body.error();
  co_return Answer{(*response)->status(), *std::move(body)};
}

Task<std::string> Control::ask(std::string_view method, std::string path) {
  auto answer = co_await exchange(method, std::move(path));
  if (!answer) co_return answer.error();
  if (answer->status != 200) co_return error_of_status(answer->status, answer->body);
  co_return std::move(answer->body);
}

Task<std::string> Control::read_json(std::string path) {
  auto text = co_await ask("GET", path);
  if (!text && text.error().code == Code::not_found && path != kStatusPath) {
    // Determines which of the two does not exist.
    auto status = co_await read_json(std::string(kStatusPath));
    if (!status) co_return status.error();
  }
  if (!text && text.error().code == Code::not_found && path == kStatusPath) {
    co_return Error{Code::upstream_failed,
                    "this gateway has no control API (/control/v1): it is older than this command"};
  }
  if (text && !json::check(*text)) {
    co_return Error{Code::upstream_failed, fmt::format("{} is not JSON", path)};
  }
  co_return text;
}

Task<void> Control::read_events(std::string path, std::string last_id, OnEvent on_event) {
  std::string fields = fields_ + "Accept: text/event-stream\r\n";
  if (!last_id.empty()) fields += fmt::format("Last-Event-ID: {}\r\n", last_id);
  const net::HttpCall call{"GET", path, fields, ""};
  auto response = co_await pool_.request(call, here().now() + timeout_);
  if (!response) co_return response.error();
  if ((*response)->status() != 200) {
    auto body = co_await (*response)->read_all(kMostAnswer, here().now() + timeout_);
    if (!body) co_return body.error();
    co_return error_of_status((*response)->status(), *body);
  }
  transport::EventReader reader(kMostAnswer);
  for (;;) {
    auto piece = co_await (*response)->read(kNever);
    if (!piece) co_return piece.error();
    if (piece->empty()) co_return ok();
    auto fed = reader.feed(*piece);
    if (!fed) co_return fed;
    for (transport::Event event; reader.next(event);) on_event(event);
  }
}

int run_control(const std::string& server, const ClientOptions& options,
                const std::function<Task<int>(Control&)>& work, int interrupted) {
  auto target = control_target(server, options);
  if (!target) {
    complain("patchbay: {}: {}\n", server, target.error().message);
    return kExitUsage;
  }
  net::block_signals();
  net::Loop loop;
  int code = kExitFailed;
  auto main = [&]() -> Task<void> {
    net::Signals signals([interrupted](int) { std::_Exit(interrupted); });
    Control control(*target, options.seconds);
    auto done = co_await work(control);
    if (done) {
      code = *done;
    } else {
      if (done.error().code == Code::not_found) code = kExitUnknown;
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
