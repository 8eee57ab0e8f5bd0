// Sandboxes in virtual machines: any monitor that provides the machine's vsock as a Unix socket, as
// Firecracker does. Either a program is run for each machine, or a machine is already running.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "core/discard.h"
#include "net/io/socket.h"
#include "net/process/child.h"
#include "net/process/stderr_log.h"
#include "upstreams/sandbox/engine.h"
#include "upstreams/sandbox/folder.h"
#include "upstreams/sandbox/guests.h"
#include "upstreams/sandbox/socket_guest.h"

namespace patchbay::upstreams {
namespace {

constexpr std::chrono::milliseconds kRetry{50};  // Between attempts while a machine boots.
constexpr std::size_t kLongestOk = 64;
constexpr std::string_view kMachineFolders = "vm";

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

// A monitor that runs one machine.
class Machine {
 public:
  Machine(std::unique_ptr<net::Child> child, std::string folder, const std::string& upstream,
          ThreadPool& pool)
      : child_(std::move(child)),
        folder_(std::move(folder)),
        out_(child_->take_stdout(), upstream, kStderrLines),
        errors_(child_->take_stderr(), upstream, kStderrLines),
        pool_(pool) {}

  bool exited() const { return child_->exited(); }

  Task<void> end() {
    child_->signal(SIGKILL);
    // Shielded from the cancellation of a call, because nothing else removes the folder.
    auto exit = child_->exit(kNever);
    auto exited = co_await exit.shielded();
    std::function<Result<void>()> remove = [folder = folder_] {
      return remove_sandbox_folder(folder);
    };
    auto removed = co_await pool_.run<void>(std::move(remove));
    if (!exited) co_return exited.error();
    co_return removed;
  }

 private:
  std::unique_ptr<net::Child> child_;
  const std::string folder_;
  StderrLog out_;
  StderrLog errors_;
  ThreadPool& pool_;
};

class MicrovmEngine final : public Engine {
 public:
  MicrovmEngine(std::string upstream, const SandboxSettings& settings, ThreadPool& pool)
      : upstream_(std::move(upstream)), settings_(settings), pool_(pool) {}

  std::string_view isolation() const override { return "microvm"; }

  Task<void> prepare() override {
    const auto& settings = settings_.microvm;
    if (settings.socket.empty()) {
      co_return Error{Code::unavailable, "microvm.socket is missing: the machine's Unix socket"};
    }
    if (settings.command.empty()) co_return ok();
    auto found = net::find_program({settings.command, {}, net::usual_environment(), ""});
    if (!found) co_return found.error();
    std::function<Result<void>()> sweep = [] {
      sweep_sandbox_folders(kMachineFolders);
      return ok();
    };
    co_return co_await pool_.run<void>(std::move(sweep));
  }

  Task<std::unique_ptr<Guest>> start(const SandboxLimits& limits, Deadline deadline) override {
    std::shared_ptr<Machine> machine;
    std::string socket = settings_.microvm.socket;
    if (!settings_.microvm.command.empty()) {
      auto begun = co_await boot(limits, socket);
      if (!begun) co_return begun.error();
      machine = *std::move(begun);
    }
    auto stream = co_await reach(socket, machine.get(), deadline);
    if (!stream && machine) {
      auto ended = co_await machine->end();
      discard(ended, "the failure to reach it is reported");
    }
    if (!stream) co_return stream.error();
    std::function<Task<void>()> release;
    if (machine) release = [machine] { return machine->end(); };
    co_return std::make_unique<SocketGuest>(*std::move(stream), settings_, std::move(release),
                                            absent());
  }

 private:
  // The limits that a machine of ours gets through its command line, if the configured args pass
  // them on.
  std::vector<std::string> absent() const {
    auto limits = limits_around();
    const auto drop_if_passed = [&](std::string_view name, std::string_view text) {
      const bool present = std::ranges::any_of(
          settings_.microvm.args, [&text](const std::string& arg) { return arg.contains(text); });
      if (present) std::erase(limits, name);
    };
    drop_if_passed("memory", "{memory_mib}");
    drop_if_passed("cpu", "{vcpus}");
    return limits;
  }

  // Runs the monitor; `socket` becomes the one of this machine.
  Task<std::shared_ptr<Machine>> boot(const SandboxLimits& limits, std::string& socket) {
    std::function<Result<std::string>()> make = [] { return make_sandbox_folder(kMachineFolders); };
    auto folder = co_await pool_.run<std::string>(std::move(make));
    if (!folder) co_return folder.error();
    replace_all(socket, "{folder}", *folder);
    net::Program program{settings_.microvm.command, settings_.microvm.args,
                         net::usual_environment(), *folder};
    const auto vcpus = std::max(1, static_cast<int>(limits.cpu + 0.999));
    for (auto& arg : program.args) {
      replace_all(arg, "{folder}", *folder);
      replace_all(arg, "{socket}", socket);
      replace_all(arg, "{memory_mib}", std::to_string(limits.memory.value >> 20));
      replace_all(arg, "{vcpus}", std::to_string(vcpus));
    }
    auto child = net::Child::spawn(program);
    if (!child) {
      ::rmdir(folder->c_str());
      co_return child.error();
    }
    co_return std::make_shared<Machine>(*std::move(child), *folder, upstream_, pool_);
  }

  // The agent of the machine, once it is up.
  Task<std::unique_ptr<net::Stream>> reach(const std::string& socket, Machine* machine,
                                           Deadline deadline) {
    for (;;) {
      Error why;
      auto connected = net::connect_unix(socket);
      if (connected) {
        auto stream = std::make_unique<net::Stream>(*std::move(connected));
        auto answered = co_await ask_for_port(*stream, settings_.microvm.port, deadline);
        if (answered) co_return stream;
        why = answered.error();
      } else {
        why = connected.error();
      }
      // A connection to a booting machine is retried; one to a running machine is not.
      const bool over = here().now() + kRetry >= deadline;
      if (!machine || machine->exited() || over || why.code == Code::cancelled) {
        co_return Error{why.code,
                        fmt::format("cannot reach the agent at {}: {}", socket, why.message)};
      }
      auto slept = co_await sleep_until(here().now() + kRetry);
      if (!slept) co_return slept.error();
    }
  }

  const std::string upstream_;
  const SandboxSettings& settings_;
  ThreadPool& pool_;
};

}  // namespace

Task<void> ask_for_port(net::Stream& stream, int port, Deadline deadline) {
  const std::string asked = fmt::format("CONNECT {}\n", port);
  auto sent = co_await stream.write_all(asked, std::chrono::seconds(5));
  if (!sent) co_return sent;
  // One byte at a time, because bytes after the line belong to the channel.
  std::string line;
  while (!line.ends_with('\n')) {
    char byte = 0;
    auto got = co_await stream.read_some({&byte, 1}, deadline);
    if (!got) co_return got.error();
    line += byte;
    if (line.size() > kLongestOk) break;
  }
  if (line.starts_with("OK ") && line.ends_with('\n')) co_return ok();
  co_return Error{Code::unavailable, fmt::format("no agent on port {}", port)};
}

std::unique_ptr<Engine> make_microvm_engine(const std::string& upstream,
                                            const SandboxSettings& settings, ThreadPool& pool) {
  return std::make_unique<MicrovmEngine>(upstream, settings, pool);
}

}  // namespace patchbay::upstreams
