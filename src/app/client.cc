#include "app/client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "mcp/typed_arguments.h"

namespace patchbay::app {
namespace {

constexpr std::string_view kStdio = "stdio:";
constexpr auto kExitPatience = std::chrono::seconds(2);

std::vector<std::string> whole_environment() {
  std::vector<std::string> all;
  for (char** entry = environ; *entry; ++entry) all.emplace_back(*entry);
  return all;
}

}  // namespace

bool is_target(std::string_view word) {
  return word.starts_with("http://") || word.starts_with("https://") || word.starts_with(kStdio);
}

std::string default_target() {
  const char* const named = std::getenv("PATCHBAY_URL");
  return named && *named != '\0' ? named : "http://127.0.0.1:8080/mcp";
}

Result<void> Client::spawn(std::string_view command) {
  auto words = mcp::split_words(command);
  if (!words) return words.error();
  if (words->empty()) return Error{Code::invalid_params, "stdio: needs a command"};
  net::Program program{words->front(), {words->begin() + 1, words->end()}, whole_environment(), ""};
  auto child = net::Child::spawn(program);
  if (!child) return child.error();
  child_ = *std::move(child);
  lines_ = std::make_unique<transport::LineChannel>(child_->take_stdout(), child_->take_stdin(),
                                                    transport::LineLimits());
  return ok();
}

Task<void> Client::open(Deadline deadline) {
  transport::Channel* channel = nullptr;
  if (target_.starts_with(kStdio)) {
    auto spawned = spawn(std::string_view(target_).substr(kStdio.size()));
    if (!spawned) co_return spawned;
    channel = lines_.get();
  } else {
    auto url = net::parse_url(target_);
    if (!url) co_return url.error();
    http_ = std::make_unique<transport::HttpChannel>(*std::move(url), deadline);
    channel = http_.get();
  }
  upstreams::McpLink::Events& events = *this;
  link_ = std::make_unique<upstreams::McpLink>(*channel, events, counters_);
  channel->start(*link_);
  co_return co_await link_->open(deadline);
}

Task<void> Client::close() {
  if (http_) {
    auto finished = co_await http_->finish();
    (void)finished;  // The answer is out; a server that forgets late is its own affair.
  }
  if (!child_) co_return ok();
  lines_->close_sending();
  auto exited = co_await child_->exit(here().now() + kExitPatience);
  if (!exited) {
    child_->signal(SIGTERM);
    exited = co_await child_->exit(here().now() + kExitPatience);
  }
  if (!exited) {
    child_->signal(SIGKILL);
    exited = co_await child_->exit(kNever);
  }
  lines_->close();
  co_return ok();
}

}  // namespace patchbay::app
