// No isolation: the agent runs as the gateway's own user, and so do its programs. For machines that
// are sandboxes themselves; refused unless that is configured.
#include <unistd.h>

#include <csignal>

#include "net/process/child.h"
#include "net/process/stderr_log.h"
#include "upstreams/sandbox/engine.h"
#include "upstreams/sandbox/folder.h"
#include "upstreams/sandbox/guests.h"

namespace patchbay::upstreams {
namespace {

constexpr std::string_view kBareFolders = "bare";

class BareGuest final : public Guest {
 public:
  BareGuest(std::unique_ptr<net::Child> child, std::string folder, const std::string& upstream,
            const SandboxSettings& settings, ThreadPool& pool)
      : child_(std::move(child)),
        folder_(std::move(folder)),
        errors_(child_->take_stderr(), upstream, kStderrLines),
        channel_(child_->take_stdout(), child_->take_stdin(), agent_line_limits(settings)),
        link_(channel_),
        pool_(pool) {}

  AgentLink& agent() override { return link_; }
  std::vector<std::string> absent() const override { return limits_around(); }

  // The agent ends with its input, and everything it has started with it.
  Task<void> end() override {
    link_.close("it was destroyed");
    auto exited = co_await child_->exit(here().now() + std::chrono::seconds(2));
    if (!exited) child_->signal(SIGKILL);
    if (!exited) exited = co_await child_->exit(kNever);
    std::function<Result<void>()> remove = [folder = folder_] {
      return remove_sandbox_folder(folder);
    };
    co_return co_await pool_.run<void>(std::move(remove));
  }

 private:
  std::unique_ptr<net::Child> child_;
  const std::string folder_;
  StderrLog errors_;
  transport::LineChannel channel_;
  AgentLink link_;
  ThreadPool& pool_;
};

class BareEngine final : public Engine {
 public:
  BareEngine(std::string upstream, const SandboxSettings& settings, ThreadPool& pool)
      : upstream_(std::move(upstream)), settings_(settings), pool_(pool) {}

  std::string_view isolation() const override { return "none"; }

  Task<void> prepare() override {
    if (!settings_.allow_none) {
      co_return Error{
          Code::unavailable,
          "`engine: none` does not isolate programs from this machine; set `allow_none: true` "
          "to accept that"};
    }
    auto agent = find_agent(settings_);
    if (!agent) co_return agent.error();
    agent_ = *std::move(agent);
    std::function<Result<void>()> sweep = [] {
      sweep_sandbox_folders(kBareFolders);
      return ok();
    };
    co_return co_await pool_.run<void>(std::move(sweep));
  }

  Task<std::unique_ptr<Guest>> start(const SandboxLimits&, Deadline) override {
    std::function<Result<std::string>()> make = [] { return make_sandbox_folder(kBareFolders); };
    auto folder = co_await pool_.run<std::string>(std::move(make));
    if (!folder) co_return folder.error();
    net::Program program{agent_.program,
                         {agent_.args.begin() + 1, agent_.args.end()},
                         net::usual_environment(),
                         *folder};
    program.args.insert(program.args.end(), {"--root", *folder});
    auto child = net::Child::spawn(program);
    if (!child) {
      ::rmdir(folder->c_str());
      co_return child.error();
    }
    co_return std::make_unique<BareGuest>(*std::move(child), *folder, upstream_, settings_, pool_);
  }

 private:
  const std::string upstream_;
  const SandboxSettings& settings_;
  ThreadPool& pool_;
  AgentProgram agent_;
};

}  // namespace

std::unique_ptr<Engine> make_bare_engine(const std::string& upstream,
                                         const SandboxSettings& settings, ThreadPool& pool) {
  return std::make_unique<BareEngine>(upstream, settings, pool);
}

}  // namespace patchbay::upstreams
