#include "sandbox/confined.h"

#include <fmt/format.h>

#include <csignal>

#include "json/read.h"
#include "net/packets.h"
#include "sandbox/confine.h"
#include "sandbox/syscalls.h"

namespace patchbay::sandbox {
namespace {

// How long the keeper gets to clear up before we do it ourselves.
constexpr std::chrono::seconds kKeeperPatience{5};

// Between attempts to do so: what is killed takes a moment to die.
constexpr std::chrono::milliseconds kFirstPause{1};
constexpr std::chrono::milliseconds kLastPause{2'000};

// Made once, for all sandboxes.
const Result<net::Fd>& filter() {
  static const Result<net::Fd> made = make_syscall_filter();
  return made;
}

std::vector<std::string> texts_in(std::string_view object, std::string_view name) {
  std::vector<std::string> texts;
  json::each_element(json::member(object, name).value_or("[]"), [&](std::string_view one) {
    texts.push_back(json::as_string(one).value_or(""));
  });
  return texts;
}

}  // namespace

Confined::Confined(std::unique_ptr<net::Child> child, net::Fd control) : child_(std::move(child)) {
  net::set_nonblocking(control);
  control_.emplace(std::move(control));
}

// The keeper sees the end of the child, or of our end of the socket, and does the rest.
Confined::~Confined() = default;

Task<std::unique_ptr<Confined>> Confined::start(Spec spec, Deadline deadline) {
  const auto& calls = filter();
  if (!calls) co_return calls.error();
  auto pair = net::make_packet_pair();
  if (!pair) co_return pair.error();
  // The running program, even if its file has been replaced meanwhile.
  net::Program program{"/proc/self/exe", {kConfineWord}, {}, ""};
  program.handed_over = pair->second.get();
  program.same_stdio = spec.same_stdio;
  auto child = net::Child::spawn(program);
  if (!child) co_return child.error();
  pair->second.reset();
  auto sent = net::send_packet(pair->first.get(), to_json(spec), calls->get());
  if (!sent) co_return sent.error();
  std::unique_ptr<Confined> confined(new Confined(*std::move(child), std::move(pair->first)));
  auto started = co_await confined->await_start(deadline);
  if (!started) {
    auto ended = co_await confined->end();
    co_return started.error();
  }
  co_return confined;
}

Task<void> Confined::await_start(Deadline deadline) {
  for (;;) {
    auto packet = net::receive_packet(control_->fd());
    if (!packet) {
      co_return Error{Code::unavailable,
                      fmt::format("the sandbox could not be made: {}", packet.error().message)};
    }
    if (!*packet) {
      auto ready = co_await control_->ready(net::Source::Direction::read, deadline);
      if (!ready) co_return ready;
      continue;
    }
    const std::string& text = (*packet)->text;
    if (json::string_member(text, "event") != "started") {
      co_return Error{Code::unavailable, json::string_member(text, "why").value_or(text)};
    }
    workspace_ = std::move((*packet)->attached);
    cgroup_ = Cgroup(texts_in(text, "cgroup"));
    co_return ok();
  }
}

Task<void> Confined::await_keeper(Deadline deadline) {
  for (;;) {
    auto packet = net::receive_packet(control_->fd());
    if (!packet) co_return ok();  // It has gone, and with it everything.
    if (*packet) continue;
    auto ready = co_await control_->ready(net::Source::Direction::read, deadline);
    if (!ready) co_return ready;
  }
}

Task<void> Confined::end() {
  child_->signal(SIGKILL);
  auto exited = co_await child_->exit(kNever);
  auto kept = co_await await_keeper(here().now() + kKeeperPatience);
  // It is gone by now, unless the keeper was killed: then it is ours to remove.
  for (auto pause = kFirstPause; !cgroup_.clear(0) && pause < kLastPause; pause *= 2) {
    auto slept = co_await sleep_until(here().now() + pause);
    if (!slept) co_return slept;
  }
  if (!exited) co_return exited.error();
  co_return kept;
}

}  // namespace patchbay::sandbox
