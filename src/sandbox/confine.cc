#include "sandbox/confine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "core/discard.h"
#include "json/write.h"
#include "net/io/packets.h"
#include "net/io/system_failure.h"
#include "sandbox/bwrap.h"
#include "sandbox/stage.h"

namespace patchbay::sandbox {
namespace {

constexpr int kControl = 3;
constexpr int kClearTimeout = 10'000;  // Milliseconds; only a process stuck in the kernel needs it.

std::string quoted_list(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const auto& text : texts) out += (out.size() > 1 ? "," : "") + json::quote(text);
  return out + "]";
}

// ---- The watcher

// The watcher's report once the cgroup exists.
std::string started_message(const Cgroup& cgroup, const Limits& limits) {
  std::vector<std::string> absent;
  for (const Bound bound : bounds_of(limits)) {
    if (!cgroup.holds(bound)) absent.emplace_back(name_of(bound));
  }
  return fmt::format(R"({{"event":"started","cgroup":{},"absent":{}}})",
                     quoted_list(cgroup.folders()), quoted_list(absent));
}

std::string ended_message(const Usage& usage) {
  return fmt::format(
      R"({{"event":"ended","usage":{{"memory_peak":{},"out_of_memory":{},"pids_refused":{}}}}})",
      usage.memory_peak, usage.out_of_memory, usage.pids_refused);
}

bool has_ended(int pidfd) {
  pollfd watched{pidfd, POLLIN, 0};
  return ::poll(&watched, 1, 0) > 0;
}

// Until the sandbox has ended. If the gateway exits, the sandbox is killed.
void wait_for_end(pid_t sandbox, int pidfd) {
  pollfd watched[] = {{pidfd, POLLIN, 0}, {kControl, POLLIN, 0}};
  for (;;) {
    const int ready = ::poll(watched, 2, -1);
    if (ready < 0 && errno == EINTR) continue;
    if (watched[0].revents != 0) return;
    // The gateway sends nothing after the spec: this is its end.
    if (watched[1].revents != 0) {
      ::kill(sandbox, SIGKILL);
      watched[1].fd = -1;
    }
  }
}

// Runs as long as the sandbox, outside of it. `pipe` leads to the sandbox process.
[[noreturn]] void run_watcher(const Spec& spec, pid_t sandbox, net::Fd pipe) {
  ::setsid();  // Signals to the process group of the sandbox do not reach this process.
  // The other end may close before the report is written, and only this process cleans up.
  for (const int number : {SIGPIPE, SIGHUP, SIGINT, SIGTERM, SIGQUIT}) ::signal(number, SIG_IGN);
  ::prctl(PR_SET_NAME, "sandbox-watcher");
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3; ++fd) ::dup2(nowhere, fd);
  const net::Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, sandbox, 0)));
  // If it has exited already, its pid may belong to another process.
  if (!pidfd || ::getppid() != sandbox) ::_exit(1);

  auto cgroup = Cgroup::make(spec.cgroups, spec.cgroup, spec.limits, disks_below(seen_of(spec)));
  Result<void> entered = cgroup ? ok() : Result<void>(cgroup.error());
  if (entered && !has_ended(pidfd.get())) entered = cgroup->enter(sandbox);
  const std::string report =
      entered ? started_message(*cgroup, spec.limits) : "!" + entered.error().message;
  [[maybe_unused]] const auto sent = ::write(pipe.get(), report.data(), report.size());
  pipe.reset();

  wait_for_end(sandbox, pidfd.get());
  if (cgroup) {
    const Usage usage = cgroup->usage();
    cgroup->clear(kClearTimeout);
    discard(net::send_packet(kControl, ended_message(usage)), "the gateway may be gone");
  }
  ::_exit(0);
}

// ---- The sandbox itself

// The watcher's report: the message for the gateway, or why there is no cgroup.
Result<std::string> read_report(const net::Fd& pipe) {
  std::string report;
  char chunk[4096];
  for (;;) {
    const ssize_t got = ::read(pipe.get(), chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    report.append(chunk, static_cast<std::size_t>(got));
  }
  if (report.empty()) return Error{Code::unavailable, "the watcher process of the sandbox died"};
  if (report.front() == '!') return Error{Code::unavailable, report.substr(1)};
  return report;
}

Result<std::string> start_watcher(const Spec& spec) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return net::system_failure("cannot make a pipe");
  net::Fd input(ends[0]);
  net::Fd output(ends[1]);
  const pid_t self = ::getpid();
  const pid_t watcher = ::fork();
  if (watcher < 0) return net::system_failure("cannot fork");
  if (watcher == 0) {
    input.reset();
    run_watcher(spec, self, std::move(output));
  }
  output.reset();
  return read_report(input);
}

// The options in memory, for bubblewrap to read.
Result<net::Fd> options_file(const std::vector<std::string>& options) {
  std::string text;
  for (const auto& option : options) text.append(option).push_back('\0');
  net::Fd file(::memfd_create("options", 0));
  if (!file) return net::system_failure("cannot make a file in memory");
  if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return net::system_failure("cannot write the options");
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

// Becomes bubblewrap. Yields only if that fails.
Error become(const Spec& spec, const net::Fd& options) {
  std::vector<std::string> args{"bwrap", "--args", std::to_string(options.get()), "--"};
  args.insert(args.end(), spec.args.begin(), spec.args.end());
  std::vector<char*> argv;
  for (auto& arg : args) argv.push_back(arg.data());
  argv.push_back(nullptr);
  // Its environment is readable inside, as that of process 1: so it has none.
  char* const nothing[] = {nullptr};
  ::execve(spec.bwrap.c_str(), argv.data(), nothing);
  return net::system_failure("cannot run " + spec.bwrap);
}

// Makes the egress socket, if there is one, and passes the gateway its end.
Result<void> offer_egress(const Spec& spec, uid_t user) {
  if (spec.relay == 0) return ok();
  auto socket = open_egress(user);
  if (!socket) return socket.error();
  return net::send_packet(kControl, R"({"event":"egress"})", socket->get());
}

Error run(net::Packet& packet, pid_t gateway) {
  auto spec = spec_from(packet.text);
  if (!spec) return spec.error();
  const uid_t user = outside_user(*spec);
  auto started = start_watcher(*spec);
  if (!started) return started.error();

  // Beyond this point the cgroup bounds this process.
  auto workspace = build_stage(*spec, user);
  if (!workspace) return workspace.error();
  auto offered = offer_egress(*spec, user);
  if (!offered) return offered.error();
  // Each reader of the filter needs its own file offset.
  const net::Fd filter(
      ::open(fmt::format("/proc/self/fd/{}", packet.attached.get()).c_str(), O_RDONLY));
  if (!filter) return net::system_failure("cannot open the system call filter");
  auto options = options_file(bwrap_options(*spec, filter.get()));
  if (!options) return options.error();
  if (::chdir("/") != 0) return net::system_failure("cannot leave the gateway's folder");
  auto down = step_down(*spec, user);
  if (!down) return down.error();

  // Changing the user clears this setting, so it is set again.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != gateway) ::_exit(1);
  auto report = net::send_packet(kControl, *started, workspace->get());
  if (!report) return report.error();
  workspace->reset();
  ::fcntl(kControl, F_SETFD, FD_CLOEXEC);
  return become(*spec, *options);
}

}  // namespace

int confine() {
  const pid_t gateway = ::getppid();
  // Descriptors that were open at the start are not inherited.
  ::syscall(SYS_close_range, kControl + 1U, ~0U, 1U << 2 /* CLOSE_RANGE_CLOEXEC */);
  auto packet = net::receive_packet(kControl);
  if (!packet || !*packet) {
    fmt::print(stderr, "patchbay: `{}` is internal: only the gateway runs it\n", kConfineCommand);
    return 2;
  }
  const Error why = run(**packet, gateway);
  auto report = net::send_packet(
      kControl, fmt::format(R"({{"event":"failed","why":{}}})", json::quote(why.message)));
  discard(report, "the gateway also sees that the process exits");
  return 1;
}

}  // namespace patchbay::sandbox
