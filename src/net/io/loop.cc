#include "net/io/loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace patchbay::net {
namespace {

// Without an epoll descriptor a gateway cannot do anything, not even report the error.
Fd or_die(int fd, const char* what) {
  if (fd < 0) {
    std::perror(what);
    std::exit(1);
  }
  return Fd(fd);
}

}  // namespace

Loop::Loop(int number)
    : Executor(Clock::now()),
      number_(number),
      epoll_(or_die(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      wakeup_(or_die(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  event.data.ptr = nullptr;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wakeup_.get(), &event) != 0) {
    std::perror("epoll_ctl");
    std::exit(1);
  }
}

Loop::~Loop() = default;

void Loop::run() {
  enter();
  std::array<epoll_event, kBatch> events;
  // Work may have been queued before the loop started.
  turn(Clock::now());
  while (!quit_.load(std::memory_order_acquire)) {
    const Deadline ended = Clock::now();
    if (turns_) turns_->on_turn(ended - now());
    const int n = ::epoll_wait(epoll_.get(), events.data(), kBatch, wait_time(ended));
    batch_size_ = std::max(n, 0);
    for (int i = 0; i < batch_size_; ++i) {
      batch_[static_cast<std::size_t>(i)] =
          static_cast<Readiness*>(events[static_cast<std::size_t>(i)].data.ptr);
    }
    set_now(Clock::now());
    for (int i = 0; i < batch_size_; ++i) {
      if (Readiness* const readiness = batch_[static_cast<std::size_t>(i)]) {
        readiness->on_events(events[static_cast<std::size_t>(i)].events);
      }
    }
    batch_size_ = 0;
    turn(now());
  }
}

void Loop::quit() {
  quit_.store(true, std::memory_order_release);
  wake();
}

void Loop::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wakeup_.get(), &one, sizeof one);
}

int Loop::wait_time(Deadline now) const {
  if (has_work()) return 0;
  const auto next = timers().next();
  if (!next) return -1;
  const auto span = std::chrono::ceil<std::chrono::milliseconds>(*next - now).count();
  return static_cast<int>(std::clamp<std::int64_t>(span, 0, 60'000));
}

int Loop::watch(int fd, Readiness& readiness) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.ptr = &readiness;
  return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : errno;
}

void Loop::unwatch(int fd, Readiness& readiness) {
  // It fails for descriptors that the kernel never watched; that needs no handling.
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  std::replace(batch_.begin(), batch_.begin() + batch_size_, &readiness,
               static_cast<Readiness*>(nullptr));
}

}  // namespace patchbay::net
