#include "net/process/signals.h"

#include <sys/signalfd.h>

#include <csignal>

namespace patchbay::net {
namespace {

sigset_t ours() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&set, number);
  return set;
}

Fd open_signals() {
  const sigset_t set = ours();
  return Fd(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
}

}  // namespace

void block_signals() {
  const sigset_t set = ours();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

Signals::Signals(std::function<void(int)> notify)
    : source_(open_signals()), notify_(std::move(notify)) {
  source_.wait_readable(*this);
}

void Signals::on_ready() {
  for (;;) {
    signalfd_siginfo info{};
    auto got = source_.try_read({reinterpret_cast<char*>(&info), sizeof info});
    if (!got || *got == 0) break;
    notify_(static_cast<int>(info.ssi_signo));
  }
  source_.wait_readable(*this);
}

}  // namespace patchbay::net
