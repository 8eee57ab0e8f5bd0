#include "net/process/signals.h"

#include <sys/signalfd.h>

#include <csignal>

namespace patchbay::net {
namespace {

sigset_t ours(std::initializer_list<int> more) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&set, number);
  for (const int number : more) ::sigaddset(&set, number);
  return set;
}

Fd open_signals(std::initializer_list<int> more) {
  const sigset_t set = ours(more);
  return Fd(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
}

}  // namespace

void block_signals(std::initializer_list<int> more) {
  const sigset_t set = ours(more);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

Signals::Signals(std::function<void(int)> notify, std::initializer_list<int> more)
    : source_(open_signals(more)), notify_(std::move(notify)) {
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
