#include "net/process/orphans.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <vector>

#include "core/environment.h"
#include "net/process/child.h"

namespace patchbay::net {
namespace {

constexpr std::size_t kMostEnvironment = 256 * 1024;  // Bytes of it that are searched.
constexpr int kRounds = 500;  // Rounds of killing: a process that forks faster is not caught.
constexpr long kRoundNs = 1'000'000;  // Between two rounds, for the killed processes to end.

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

// The processes below one of our threads. Orphans become children of the first, the main thread.
void add_children(const std::string& thread, std::vector<pid_t>& pids) {
  const Fd file(
      ::open(fmt::format("/proc/self/task/{}/children", thread).c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(64 * 1024, '\0');
  const ssize_t size = file ? ::read(file.get(), text.data(), text.size()) : 0;
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    pid_t pid = 0;
    const auto [next, fault] = std::from_chars(at, end, pid);
    if (fault == std::errc()) pids.push_back(pid);
    at = next == end ? end : next + 1;
  }
}

std::vector<pid_t> orphans() {
  std::vector<pid_t> pids;
  add_children(fmt::format("{}", ::getpid()), pids);
  return pids;
}

std::vector<pid_t> children_of_all_threads() {
  std::vector<pid_t> pids;
  std::error_code fault;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", fault)) {
    add_children(thread.path().filename(), pids);
  }
  return pids;
}

// The mark of the program that started it, directly or not; empty: none can be read.
std::string mark_of(pid_t pid) {
  const Fd file(::open(fmt::format("/proc/{}/environ", pid).c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(kMostEnvironment, '\0');
  std::size_t size = 0;
  while (file && size < text.size()) {
    const ssize_t got = ::read(file.get(), text.data() + size, text.size() - size);
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  const std::string wanted = fmt::format("{}=", kMarkVariable);
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\0', at), text.size());
    const auto entry = std::string_view(text).substr(at, end - at);
    if (entry.starts_with(wanted)) return std::string(entry.substr(wanted.size()));
    at = end + 1;
  }
  return {};
}

}  // namespace

void Orphans::before_threads() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const sigset_t set = child_signal();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

Orphans::Orphans() : source_(open_signal()) {
  source_.wait_readable(*this);
  Child::on_reaped([this, loop = &here(), alive = liveness_.watch()] {
    loop->post([this, alive] {
      if (!alive.expired()) look_soon();
    });
  });
}

Orphans::~Orphans() {
  Child::on_reaped({});
  source_.forget(*this);
}

void Orphans::on_ready() {
  signalfd_siginfo info{};
  for (;;) {
    auto got = source_.try_read({reinterpret_cast<char*>(&info), sizeof info});
    if (!got || *got == 0) break;
  }
  source_.wait_readable(*this);
  look_soon();
}

// Once for all events of this turn.
void Orphans::look_soon() { here().at_turn_end(*this); }

// A killed process must be reaped and leaves its children to us, so this is called again then.
void Orphans::look() {
  while (Child::reap_other()) {
  }
  kill_left_behind();
}

void Orphans::kill_left_behind() {
  // A gateway may have started us with a mark, which our children without a mark inherit.
  const std::string ours = read_variable(std::string(kMarkVariable)).value_or("");
  for (const pid_t pid : orphans()) {
    const std::string mark = mark_of(pid);
    if (pid == spared_ || mark.empty() || mark == ours || Child::is_living_mark(mark)) continue;
    ::kill(pid, SIGKILL);
  }
}

void Orphans::kill_all() {
  for (int round = 0; round < kRounds; ++round) {
    auto pids = children_of_all_threads();
    std::erase(pids, spared_);
    if (pids.empty()) return;
    for (const pid_t pid : pids) ::kill(pid, SIGKILL);
    const timespec moment{0, kRoundNs};
    ::nanosleep(&moment, nullptr);
    // The children of each become ours when it ends.
    for (const pid_t pid : pids) ::waitpid(pid, nullptr, WNOHANG);
  }
}

}  // namespace patchbay::net
