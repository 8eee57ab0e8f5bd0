#include "net/process/successor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/environment.h"
#include "net/io/inherited_listeners.h"

namespace patchbay::net {
namespace {

constexpr char kReadyVariable[] = "PATCHBAY_READY_FD";
constexpr auto kEndTimeout = std::chrono::seconds(3);  // After SIGTERM.

// Variables that describe one process and must not be inherited.
constexpr std::array<std::string_view, 6> kOfOneProcess{"LISTEN_FDS",         "LISTEN_FDNAMES",
                                                        "LISTEN_PID",         "WATCHDOG_PID",
                                                        kPredecessorVariable, kReadyVariable};

// The file of this program. If it has been replaced, the new file of that name.
std::string own_file() {
  std::error_code fault;
  std::string path = std::filesystem::read_symlink("/proc/self/exe", fault).string();
  constexpr std::string_view kReplaced = " (deleted)";
  if (path.ends_with(kReplaced)) path.resize(path.size() - kReplaced.size());
  return path;
}

std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> arguments;
  for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) {
    arguments.emplace_back(text.c_str() + at);
  }
  return arguments;
}

std::vector<std::string> next_environment(std::span<const HandedListener> listeners, int ready) {
  std::vector<std::string> environment;
  for (auto& entry : whole_environment()) {
    const auto name = std::string_view(entry).substr(0, entry.find('='));
    if (std::ranges::find(kOfOneProcess, name) == kOfOneProcess.end()) {
      environment.push_back(std::move(entry));
    }
  }
  std::string names;
  for (const auto& one : listeners) names += (names.empty() ? "" : ":") + one.name;
  environment.push_back(fmt::format("LISTEN_FDS={}", listeners.size()));
  environment.push_back("LISTEN_FDNAMES=" + names);
  environment.push_back(fmt::format("{}={}", kPredecessorVariable, ::getpid()));
  environment.push_back(fmt::format("{}={}", kReadyVariable, ready));
  return environment;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (auto& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

// Which descriptor becomes which in the new process; all others are closed.
class Descriptors {
 public:
  Descriptors() { ::posix_spawn_file_actions_init(&actions_); }
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;
  ~Descriptors() { ::posix_spawn_file_actions_destroy(&actions_); }

  // Two steps, because the target number of one descriptor may be the current number of another.
  void assign(std::span<const int> from) {
    const int count = static_cast<int>(from.size());
    const int apart = std::max(kFirstInherited + count, *std::ranges::max_element(from) + 1);
    for (int i = 0; i < count; ++i) {
      ::posix_spawn_file_actions_adddup2(&actions_, from[static_cast<std::size_t>(i)], apart + i);
    }
    for (int i = 0; i < count; ++i) {
      ::posix_spawn_file_actions_adddup2(&actions_, apart + i, kFirstInherited + i);
    }
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, kFirstInherited + count);
  }

  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

// The signal settings of a process that a shell has started.
class Attributes {
 public:
  Attributes() {
    ::posix_spawnattr_init(&attributes_);
    sigset_t none;
    ::sigemptyset(&none);
    sigset_t pipe = none;
    ::sigaddset(&pipe, SIGPIPE);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &pipe);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }

  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

Error not_started(std::string_view what, int fault) {
  return {Code::unavailable, fmt::format("{}: {}", what, std::strerror(fault))};
}

}  // namespace

Result<Successor> Successor::start(std::span<const HandedListener> listeners) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return not_started("pipe", errno);
  Fd ready(ends[0]);
  const Fd write_end(ends[1]);
  std::vector<int> passed;
  for (const auto& one : listeners) passed.push_back(one.fd);
  passed.push_back(write_end.get());
  Descriptors descriptors;
  descriptors.assign(passed);
  const Attributes attributes;
  const std::string file = own_file();
  auto arguments = own_arguments();
  auto environment =
      next_environment(listeners, kFirstInherited + static_cast<int>(listeners.size()));
  pid_t pid = 0;
  const int fault = ::posix_spawn(&pid, file.c_str(), descriptors.get(), attributes.get(),
                                  pointers(arguments).data(), pointers(environment).data());
  if (fault != 0) return not_started(file, fault);
  return Successor(pid, std::move(ready));
}

Task<void> Successor::ready(Deadline deadline) {
  char byte = 0;
  auto got = co_await ready_->read_some({&byte, 1}, deadline);
  if (got) co_return ok();
  if (got.error().code != Code::unavailable) co_return got.error();
  co_return Error{Code::unavailable, "it ended before it was ready; its own log has the reason"};
}

Task<void> Successor::end() {
  ::kill(pid_, SIGTERM);
  char byte = 0;
  // The pipe ends with the process. One that became ready after all ends as well.
  auto ended = co_await ready_->read_some({&byte, 1}, here().now() + kEndTimeout);
  if (!ended && ended.error().code == Code::timeout) ::kill(pid_, SIGKILL);
  co_return ok();
}

void notify_predecessor() {
  const std::string text = read_variable(kReadyVariable).value_or("");
  int number = -1;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = fault == std::errc() && end == text.data() + text.size();
  const auto predecessor = read_variable(kPredecessorVariable);
  if (!whole || predecessor != fmt::format("{}", ::getppid())) return;
  const Fd pipe(number);
  // If it has ended meanwhile, the sockets belong to us in any case.
  if (::write(pipe.get(), "r", 1) != 1) return;
}

}  // namespace patchbay::net
