#include "net/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

namespace patchbay::net {
namespace {

struct Pipe {
  Fd read;
  Fd write;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return Error{Code::unavailable, fmt::format("cannot make a pipe: {}", std::strerror(errno))};
  }
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

std::string_view path_variable(const Program& program) {
  for (const std::string_view entry : program.environment) {
    if (entry.starts_with("PATH=")) return entry.substr(5);
  }
  return "/usr/local/bin:/usr/bin:/bin";
}

// Finds the program before forking, so that a missing one is reported with its name.
Result<std::string> locate(const Program& program) {
  const std::string& command = program.command;
  if (command.find('/') != std::string::npos) {
    const bool relative = command.front() != '/' && !program.cwd.empty();
    const std::string path = relative ? program.cwd + "/" + command : command;
    if (::access(path.c_str(), X_OK) == 0) return command;
    return Error{Code::unavailable, fmt::format("cannot run {}: {}", path, std::strerror(errno))};
  }
  auto folders = path_variable(program);
  while (!folders.empty()) {
    const auto colon = folders.find(':');
    const std::string path = fmt::format("{}/{}", folders.substr(0, colon), command);
    if (::access(path.c_str(), X_OK) == 0) return path;
    if (colon == std::string_view::npos) break;
    folders.remove_prefix(colon + 1);
  }
  return Error{Code::unavailable, fmt::format("cannot find the program '{}' in PATH", command)};
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (const auto& text : strings) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

// Everything the child does between fork and exec: only what is safe in a copy of a process with
// threads. On failure writes errno to `report`.
[[noreturn]] void become(const char* path, char* const* argv, char* const* envp, const char* cwd,
                         const int (&pipes)[3], int control, int report, pid_t parent) {
  // Out of the way of the numbers that are given out below.
  report = ::fcntl(report, F_DUPFD_CLOEXEC, 10);
  if (control >= 0) control = ::fcntl(control, F_DUPFD_CLOEXEC, 10);
  const auto give_up = [report] {
    const int why = errno;
    [[maybe_unused]] const auto told = ::write(report, &why, sizeof why);
    ::_exit(127);
  };
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // The gateway died before the signal was set.
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  for (int i = 0; i < 3; ++i) {
    if (::dup2(pipes[i], i) < 0) give_up();
  }
  const bool controlled = control >= 0;
  if (controlled && ::dup2(control, 3) < 0) give_up();
  if (*cwd != '\0' && ::chdir(cwd) != 0) give_up();
  // The report pipe closes itself at exec; everything else that is open must not pass either.
  ::syscall(SYS_close_range, controlled ? 4U : 3U, ~0U, 1U << 2 /* CLOSE_RANGE_CLOEXEC */);
  ::execve(path, argv, envp);
  give_up();
  ::_exit(127);
}

constexpr int kPipeSize = 1 << 20;  // What an ordinary user may have; a large answer fits.

// Our end of a pipe to the child.
void prepare(const Fd& fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
  ::fcntl(fd.get(), F_SETPIPE_SZ, kPipeSize);
}

std::string exit_sentence(const siginfo_t& info) {
  if (info.si_code == CLD_EXITED) return fmt::format("exited with status {}", info.si_status);
  return fmt::format("was ended by signal {} ({})", info.si_status, ::strsignal(info.si_status));
}

// The children that have not been reaped, for kill_all().
std::mutex living_mutex;
std::set<pid_t> living;

void note_living(pid_t pid, bool lives) {
  const std::lock_guard lock(living_mutex);
  if (lives) {
    living.insert(pid);
  } else {
    living.erase(pid);
  }
}

// What became of exec: the report pipe closes on success and carries errno on failure.
int exec_errno(const Fd& report) {
  int why = 0;
  ssize_t n = 0;
  do {
    n = ::read(report.get(), &why, sizeof why);
  } while (n < 0 && errno == EINTR);
  return n == sizeof why ? why : 0;
}

}  // namespace

Result<std::string> find_program(const Program& program) {
  auto path = locate(program);
  if (!path) return path.error();
  const bool relative = path->front() != '/' && !program.cwd.empty();
  const std::string whole = relative ? program.cwd + "/" + *path : *path;
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(whole.c_str(), nullptr),
                                                         &std::free);
  if (real) return std::string(real.get());
  return Error{Code::unavailable, fmt::format("cannot find {}: {}", whole, std::strerror(errno))};
}

void pass_variable(const char* name, std::vector<std::string>& environment) {
  if (const char* const value = std::getenv(name)) {
    environment.push_back(fmt::format("{}={}", name, value));
  }
}

std::vector<std::string> usual_environment() {
  std::vector<std::string> environment;
  for (const char* const name :
       {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "TMPDIR", "TZ"}) {
    pass_variable(name, environment);
  }
  return environment;
}

Result<std::unique_ptr<Child>> Child::spawn(const Program& program) {
  auto path = locate(program);
  if (!path) return path.error();
  std::vector<std::string> words{program.command};
  words.insert(words.end(), program.args.begin(), program.args.end());
  const auto argv = pointers(words);
  const auto envp = pointers(program.environment);
  auto in = make_pipe();
  auto out = make_pipe();
  auto err = make_pipe();
  auto report = make_pipe();
  for (const auto* const pipe : {&in, &out, &err, &report}) {
    if (!*pipe) return pipe->error();
  }

  int pipes[3] = {in->read.get(), out->write.get(), err->write.get()};
  if (program.same_stdio) {
    for (int i = 0; i < 3; ++i) pipes[i] = i;
  }
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) {
    return Error{Code::unavailable, fmt::format("cannot fork: {}", std::strerror(errno))};
  }
  if (pid == 0) {
    become(path->c_str(), argv.data(), envp.data(), program.cwd.c_str(), pipes, program.handed_over,
           report->write.get(), parent);
  }
  ::setpgid(pid, pid);  // Both sides do it: whoever comes first.
  report->write.reset();
  if (const int why = exec_errno(report->read)) {
    ::waitpid(pid, nullptr, 0);
    return Error{Code::unavailable,
                 fmt::format("cannot run {}: {}", program.command, std::strerror(why))};
  }
  Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd) {
    const int why = errno;
    ::kill(-pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return Error{Code::unavailable, fmt::format("cannot watch the child: {}", std::strerror(why))};
  }
  for (const Fd* fd : {&in->write, &out->read, &err->read}) prepare(*fd);
  return std::unique_ptr<Child>(new Child(pid, std::move(pidfd), std::move(in->write),
                                          std::move(out->read), std::move(err->read)));
}

Child::Child(pid_t pid, Fd pidfd, Fd in, Fd out, Fd err)
    : pid_(pid),
      pidfd_(std::move(pidfd)),
      stdin_(std::move(in)),
      stdout_(std::move(out)),
      stderr_(std::move(err)) {
  note_living(pid_, true);
  pidfd_.wait_readable(*this);
}

void Child::kill_all() {
  const std::lock_guard lock(living_mutex);
  for (const pid_t pid : living) ::kill(-pid, SIGKILL);
}

Child::~Child() {
  if (exited()) return;
  signal(SIGKILL);
  note_living(pid_, false);
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED);
}

void Child::signal(int number) const {
  // Once the child has been reaped its number may belong to someone else.
  if (!exited()) ::kill(-pid_, number);
}

void Child::on_ready() {
  siginfo_t info{};
  const auto id = static_cast<id_t>(pidfd_.fd());
  if (::waitid(P_PIDFD, id, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) {
    pidfd_.wait_readable(*this);
    return;
  }
  // While it is not reaped its group cannot be anyone else's: end what it has left behind.
  ::kill(-pid_, SIGKILL);
  note_living(pid_, false);
  ::waitid(P_PIDFD, id, &info, WEXITED | WNOHANG);
  exit_status_ = exit_sentence(info);
  exit_code_ = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
  if (waiting_) waiting_->deliver(ok());
}

Task<std::string> Child::exit(Deadline deadline) {
  if (!exit_status_) {
    OneShot<void> exited;
    waiting_ = &exited;
    auto waited = co_await exited.wait(deadline);
    waiting_ = nullptr;
    if (!waited) co_return waited.error();
  }
  co_return *exit_status_;
}

}  // namespace patchbay::net
