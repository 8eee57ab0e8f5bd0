#include "net/process/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

#include "core/environment.h"
#include "core/ids.h"
#include "net/process/spawn.h"

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
  return Error{Code::unavailable, fmt::format("cannot find the program '{}' in PATH: {}", command,
                                              std::strerror(ENOENT))};
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (const auto& text : strings) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

// Our end of a pipe to the child.
void prepare(const Fd& fd, int pipe_size) {
  if (!fd) return;
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
  if (pipe_size > 0) ::fcntl(fd.get(), F_SETPIPE_SZ, pipe_size);
}

// The pipe for the child's stdin; without input there is no writing end.
Result<Pipe> make_input(bool wanted) {
  if (wanted) return make_pipe();
  Fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (nothing) return Pipe{std::move(nothing), Fd()};
  // In a file system without devices, a pipe without a writer is also empty.
  auto pipe = make_pipe();
  if (pipe) pipe->write.reset();
  return pipe;
}

Error cannot_start(const Program& program, const Started& started) {
  const std::string_view what = started.what;
  const char* const why = std::strerror(started.fault);
  if (what == "chdir") {
    return {Code::unavailable,
            fmt::format("cannot run {} in {}: {}", program.command, program.cwd, why)};
  }
  if (what == "exec") {
    return {Code::unavailable, fmt::format("cannot run {}: {}", program.command, why)};
  }
  return {Code::unavailable, fmt::format("cannot run {}: {}: {}", program.command, what, why)};
}

// The children that have not been reaped. The lock is held while one is started or reaped, so that
// no child is mistaken for an orphan while it is being entered here.
struct Living {
  std::mutex mutex;
  std::set<pid_t> pids;
  std::set<std::string, std::less<>> marks;
  std::function<void()> on_reaped;
};

Living& living() {
  static Living all;
  return all;
}

// A name that no other program has, of this gateway or another.
std::string make_mark() { return random_hex(16); }

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
  if (const auto value = take_variable(name)) {
    environment.push_back(fmt::format("{}={}", name, *value));
  }
}

void pass_network_variables(std::vector<std::string>& environment) {
  for (const char* const name : kNetworkVariables) {
    const auto value = read_variable(name);
    // user:password@proxy.example:3128
    if (value && !value->contains('@')) environment.push_back(fmt::format("{}={}", name, *value));
  }
}

std::vector<std::string> usual_environment() {
  std::vector<std::string> environment;
  for (const char* const name : kUsualVariables) pass_variable(name, environment);
  return environment;
}

Result<std::unique_ptr<Child>> Child::spawn(const Program& program) {
  auto path = locate(program);
  if (!path) return path.error();
  std::vector<std::string> args{program.command};
  args.insert(args.end(), program.args.begin(), program.args.end());
  const auto argv = pointers(args);
  std::vector<std::string> environment = program.environment;
  const std::string mark = program.marked ? make_mark() : "";
  if (program.marked) environment.push_back(fmt::format("{}={}", kMarkVariable, mark));
  const auto envp = pointers(environment);
  auto in = make_input(program.reads_input);
  auto out = make_pipe();
  auto err = make_pipe();
  for (const auto* const pipe : {&in, &out, &err}) {
    if (!*pipe) return pipe->error();
  }

  NewProgram start{path->c_str(), argv.data(), envp.data(), program.cwd.c_str()};
  start.descriptors = {in->read.get(), out->write.get(), err->write.get(), program.handed_over};
  if (program.same_stdio) start.descriptors = {0, 1, 2, program.handed_over};
  if (program.user) start.user = &*program.user;
  std::unique_lock lock(living().mutex);
  Started started = start_program(start);
  if (started.fault != 0) return cannot_start(program, started);
  if (!started.pidfd) {
    ::kill(-started.pid, SIGKILL);
    ::waitpid(started.pid, nullptr, 0);
    return Error{Code::unavailable, "cannot watch the child: Linux 5.4 or newer is needed"};
  }
  living().pids.insert(started.pid);
  if (program.marked) living().marks.insert(mark);
  lock.unlock();
  for (const Fd* fd : {&in->write, &out->read, &err->read}) prepare(*fd, program.pipe_size);
  return std::unique_ptr<Child>(new Child(started.pid, mark, std::move(started.pidfd),
                                          std::move(in->write), std::move(out->read),
                                          std::move(err->read)));
}

std::string Ending::sentence() const {
  if (!by_signal) return fmt::format("exited with status {}", status);
  return fmt::format("was ended by signal {} ({})", status, ::strsignal(status));
}

Child::Child(pid_t pid, std::string mark, Fd pidfd, Fd in, Fd out, Fd err)
    : pid_(pid),
      mark_(std::move(mark)),
      pidfd_(std::move(pidfd)),
      stdin_(std::move(in)),
      stdout_(std::move(out)),
      stderr_(std::move(err)) {
  pidfd_.wait_readable(*this);
}

bool Child::is_living_mark(std::string_view mark) {
  const std::lock_guard lock(living().mutex);
  return living().marks.contains(mark);
}

bool Child::reap_other() {
  const std::lock_guard lock(living().mutex);
  siginfo_t info{};
  if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return false;
  if (living().pids.contains(info.si_pid))
    return false;  // waitid() reports it first, before any other.
  ::waitpid(info.si_pid, nullptr, WNOHANG);
  return true;
}

void Child::on_reaped(std::function<void()> notify) {
  const std::lock_guard lock(living().mutex);
  living().on_reaped = std::move(notify);
}

void Child::kill_all() {
  const std::lock_guard lock(living().mutex);
  for (const pid_t pid : living().pids) ::kill(-pid, SIGKILL);
}

Child::~Child() {
  if (exited()) return;
  signal(SIGKILL);
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
  reap();
}

// Called once it has ended.
Ending Child::reap() {
  const std::lock_guard lock(living().mutex);
  // Its group id cannot be reused before it is reaped: kills the processes that it has left behind.
  ::kill(-pid_, SIGKILL);
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG);
  living().pids.erase(pid_);
  if (!mark_.empty()) living().marks.erase(mark_);
  if (living().on_reaped) living().on_reaped();
  return {info.si_status, info.si_code != CLD_EXITED};
}

void Child::signal(int number) const {
  // Once the child has been reaped its pid may belong to another process.
  if (!exited()) ::kill(-pid_, number);
}

void Child::on_ready() {
  siginfo_t info{};
  const auto id = static_cast<id_t>(pidfd_.fd());
  if (::waitid(P_PIDFD, id, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) {
    pidfd_.wait_readable(*this);
    return;
  }
  ending_ = reap();
  if (waiting_) waiting_->deliver(ok());
}

Task<std::string> Child::exit(Deadline deadline) {
  if (!ending_) {
    OneShot<void> exited;
    waiting_ = &exited;
    auto waited = co_await exited.wait(deadline);
    waiting_ = nullptr;
    if (!waited) co_return waited.error();
  }
  co_return ending_->sentence();
}

}  // namespace patchbay::net
