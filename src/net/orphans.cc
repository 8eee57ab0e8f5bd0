#include "net/orphans.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <charconv>
#include <csignal>
#include <ctime>
#include <vector>

#include "net/child.h"

namespace patchbay::net {
namespace {

constexpr int kRounds = 500;          // Of killing: whoever forks faster needs another means.
constexpr long kRoundNs = 1'000'000;  // Between two rounds, for the killed to end.

sigset_t child_signal() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGCHLD);
  return set;
}

Fd open_signal() {
  const sigset_t set = child_signal();
  return Fd(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
}

// Who is below us now.
std::vector<pid_t> children() {
  const Fd file(
      ::open(fmt::format("/proc/self/task/{}/children", ::getpid()).c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(64 * 1024, '\0');
  const ssize_t size = file ? ::read(file.get(), text.data(), text.size()) : 0;
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  std::vector<pid_t> pids;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    pid_t pid = 0;
    const auto [next, fault] = std::from_chars(at, end, pid);
    if (fault == std::errc()) pids.push_back(pid);
    at = next == end ? end : next + 1;
  }
  return pids;
}

}  // namespace

void Orphans::before_threads() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const sigset_t set = child_signal();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

Orphans::Orphans() : source_(open_signal()) { source_.wait_readable(*this); }

void Orphans::on_ready() {
  signalfd_siginfo info{};
  for (;;) {
    auto got = source_.try_read({reinterpret_cast<char*>(&info), sizeof info});
    if (!got || *got == 0) break;
  }
  source_.wait_readable(*this);
  // At the end of the turn each Child that has told of its end is reaped, by itself.
  here().at_turn_end(*this);
}

void Orphans::reap() {
  for (;;) {
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
    if (Child::is_living(info.si_pid)) {
      // It hides those behind it until its own event comes, which is on its way.
      here().post([this] { here().at_turn_end(*this); });
      return;
    }
    ::waitpid(info.si_pid, nullptr, WNOHANG);
  }
}

void Orphans::kill_all() {
  for (int round = 0; round < kRounds; ++round) {
    const auto pids = children();
    if (pids.empty()) return;
    for (const pid_t pid : pids) ::kill(pid, SIGKILL);
    const timespec moment{0, kRoundNs};
    ::nanosleep(&moment, nullptr);
    // The children of each come to us as it ends.
    for (const pid_t pid : pids) ::waitpid(pid, nullptr, WNOHANG);
  }
}

}  // namespace patchbay::net
