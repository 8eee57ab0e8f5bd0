#include "sandbox/confined.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "core/discard.h"
#include "json/read.h"
#include "net/io/packets.h"
#include "sandbox/confine.h"
#include "sandbox/settings.h"
#include "sandbox/syscalls.h"

namespace patchbay::sandbox {
namespace {

// How long the watcher may clean up before we do.
constexpr std::chrono::seconds kServiceTimeout{5};
// Between attempts to do so: a killed process takes a moment to end.
constexpr std::chrono::milliseconds kFirstPause{1};
constexpr std::chrono::milliseconds kLastPause{2'000};

net::Fd nonblocking(net::Fd fd) {
  net::set_nonblocking(fd);
  return fd;
}

Usage usage_in(std::string_view message) {
  const auto usage = json::member(message, "usage").value_or("{}");
  const auto number = [&](std::string_view name) {
    return static_cast<std::uint64_t>(
        json::as_int(json::member(usage, name).value_or("0")).value_or(0));
  };
  Usage all;
  all.memory_peak = number("memory_peak");
  all.out_of_memory = number("out_of_memory");
  all.pids_refused = number("pids_refused");
  return all;
}

}  // namespace

Confined::Confined(std::unique_ptr<net::Child> child, net::Fd control, Cgroup cgroup,
                   std::string name)
    : child_(std::move(child)),
      control_(nonblocking(std::move(control))),
      cgroup_(std::move(cgroup)),
      name_(std::move(name)) {
  control_.wait_readable(*this);
}

// The watcher notices the end of the child, or of our end of the socket, and cleans up.
Confined::~Confined() { control_.forget(*this); }

Task<std::unique_ptr<Confined>> Confined::start(Spec spec, Deadline deadline) {
  const auto& calls = syscall_filter();
  if (!calls) co_return calls.error();
  auto pair = net::make_packet_pair();
  if (!pair) co_return pair.error();
  net::Program program{helper_program(), {kConfineCommand}, {}, ""};
  program.handed_over = pair->second.get();
  program.same_stdio = spec.same_stdio;
  // Named before it is made, so that it can be removed whichever process is killed.
  spec.cgroup = next_cgroup_name();
  auto child = net::Child::spawn(program);
  if (!child) co_return child.error();
  pair->second.reset();
  auto sent = net::send_packet(pair->first.get(), to_json(spec), calls->get());
  if (!sent) co_return sent.error();
  std::unique_ptr<Confined> confined(new Confined(*std::move(child), std::move(pair->first),
                                                  Cgroup::named(spec.cgroups, spec.cgroup),
                                                  spec.cgroup));
  auto started = co_await confined->started_.wait(deadline);
  if (!started) {
    // Shielded: the caller may have been cancelled.
    auto ending = confined->end();
    auto ended = co_await ending.shielded();
    discard(ended, "the failed start is reported");
    co_return started.error();
  }
  co_return confined;
}

void Confined::on_ready() {
  for (;;) {
    auto packet = net::receive_packet(control_.fd());
    if (!packet) break;
    if (!*packet) {
      control_.wait_readable(*this);
      return;
    }
    take((*packet)->text, std::move((*packet)->attached));
  }
  // The watcher has exited, and with it everything.
  watcher_gone_ = true;
  started_.deliver(Error{Code::unavailable, "the sandbox ended before it started"});
  for (OneShot<void>* const one : std::exchange(waiting_, {})) one->deliver(ok());
}

void Confined::take(const std::string& message, net::Fd attached) {
  const auto event = json::string_member(message, "event");
  if (event == "started") {
    workspace_ = std::move(attached);
    cgroup_ = Cgroup(texts_in(message, "cgroup"));
    absent_ = texts_in(message, "absent");
    started_.deliver(ok());
  } else if (event == "egress") {
    egress_ = std::move(attached);
  } else if (event == "failed") {
    started_.deliver(
        Error{Code::unavailable, json::string_member(message, "why").value_or(message)});
  } else if (event == "ended") {
    last_usage_ = usage_in(message);
  }
}

Task<void> Confined::await_service() {
  if (watcher_gone_) co_return ok();
  OneShot<void> gone;
  waiting_.push_back(&gone);
  auto waited = co_await gone.wait(here().now() + kServiceTimeout);
  std::erase(waiting_, &gone);
  co_return waited;
}

Task<Usage> Confined::last_usage() {
  auto stored = co_await await_service();
  if (!stored) co_return stored.error();
  co_return last_usage_;
}

Task<void> Confined::end() {
  child_->signal(SIGKILL);
  auto exited = co_await child_->exit(kNever);
  if (!exited) co_return exited.error();
  auto stored = co_await await_service();
  // The cgroup has been removed by now, unless the watcher was killed: then it is removed here.
  for (auto pause = kFirstPause; !cgroup_.clear(0) && pause < kLastPause; pause *= 2) {
    auto slept = co_await sleep_until(here().now() + pause);
    if (!slept) co_return slept;
  }
  co_return stored;
}

}  // namespace patchbay::sandbox
