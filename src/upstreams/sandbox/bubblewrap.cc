// Sandboxes by bubblewrap: namespaces, a filter of system calls and limits around an agent.
#include <fmt/format.h>
#include <unistd.h>

#include <climits>

#include "egress/proxy.h"
#include "net/process/stderr_log.h"
#include "sandbox/confined.h"
#include "sandbox/examine.h"
#include "sandbox/syscalls.h"
#include "transport/line_channel.h"
#include "upstreams/sandbox/engine.h"
#include "upstreams/sandbox/guests.h"

namespace patchbay::upstreams {
namespace {

constexpr std::string_view kAgentInside = "/run/patchbay-agent";

class BubblewrapGuest final : public Guest {
 public:
  BubblewrapGuest(std::unique_ptr<sandbox::Confined> confined, const std::string& upstream,
                  const SandboxSettings& settings, std::shared_ptr<const EgressCounters> counters)
      : confined_(std::move(confined)),
        errors_(confined_->child().take_stderr(), upstream, kStderrLines),
        channel_(confined_->child().take_stdout(), confined_->child().take_stdin(),
                 agent_line_limits(settings)),
        link_(channel_),
        egress_(
            EgressProxy::start(upstream, *confined_, isolation_of(settings), std::move(counters))),
        workspace_(std::make_shared<sandbox::Workspace>(confined_->take_workspace())) {}

  AgentLink& agent() override { return link_; }
  std::shared_ptr<const sandbox::Workspace> workspace() const override { return workspace_; }
  void call(const std::string& id) override {
    if (egress_) egress_->call(id);
  }
  sandbox::Cgroup cgroup() const override { return confined_->cgroup(); }
  std::vector<std::string> absent() const override { return confined_->absent(); }
  Task<sandbox::Usage> last_usage() override { return confined_->last_usage(); }

  Task<void> end() override {
    link_.close("it was destroyed");
    auto ended = co_await confined_->end();
    auto stopped = egress_ ? co_await egress_->stop() : ok();
    co_return ended ? stopped : ended;
  }

 private:
  std::unique_ptr<sandbox::Confined> confined_;
  StderrLog errors_;
  transport::LineChannel channel_;
  AgentLink link_;
  const std::unique_ptr<EgressProxy> egress_;  // Null: no network access.
  const std::shared_ptr<const sandbox::Workspace> workspace_;
};

// The common part of all sandboxes with these settings. Blocks.
Result<sandbox::Spec> plan(const SandboxSettings& settings) {
  const auto isolation = isolation_of(settings);
  auto able = sandbox::can_isolate(isolation);
  if (!able) return able.error();
  auto spec = sandbox::spec_of(isolation, sandbox::prepared_cgroup_paths());
  if (!spec) return spec;
  auto agent = find_agent(settings);
  if (!agent) return agent.error();
  spec->shares.push_back({agent->program, std::string(kAgentInside)});
  spec->args = agent->args;
  spec->args.front() = kAgentInside;
  sandbox::add_relay(*spec);
  return spec;
}

class BubblewrapEngine final : public Engine {
 public:
  BubblewrapEngine(std::string upstream, const SandboxSettings& settings, ThreadPool& pool,
                   metrics::Registry* registry)
      : upstream_(std::move(upstream)), settings_(settings), pool_(pool) {
    if (!registry || settings.egress.empty()) return;
    counters_ = std::make_shared<const EgressCounters>(*registry, upstream_);
  }

  std::string_view isolation() const override { return "namespaces"; }

  Task<void> prepare() override {
    std::function<Result<sandbox::Spec>()> work = [settings = settings_] { return plan(settings); };
    auto spec = co_await pool_.run<sandbox::Spec>(std::move(work));
    if (!spec) co_return spec.error();
    spec_ = *std::move(spec);
    co_return ok();
  }

  Task<std::unique_ptr<Guest>> start(const SandboxLimits& limits, Deadline deadline) override {
    auto filter = co_await make_filter();
    if (!filter) co_return filter.error();
    sandbox::Spec spec = spec_;
    spec.limits = limits;
    auto confined = co_await sandbox::Confined::start(std::move(spec), deadline);
    if (!confined) co_return confined.error();
    co_return std::make_unique<BubblewrapGuest>(*std::move(confined), upstream_, settings_,
                                                counters_);
  }

 private:
  // Takes some milliseconds, once: before the first sandbox, which a gateway may never have.
  Task<void> make_filter() {
    if (has_filter_) co_return ok();
    std::function<Result<void>()> work = []() -> Result<void> {
      const auto& filter = sandbox::syscall_filter();
      if (!filter) return filter.error();
      return ok();
    };
    auto made = co_await pool_.run<void>(std::move(work));
    has_filter_ = bool(made);
    co_return made;
  }

  const std::string upstream_;
  const SandboxSettings& settings_;
  ThreadPool& pool_;
  bool has_filter_ = false;
  std::shared_ptr<const EgressCounters> counters_;  // Null: nothing is counted.
  sandbox::Spec spec_;
};

}  // namespace

sandbox::Settings isolation_of(const SandboxSettings& settings) {
  sandbox::Settings isolation;
  isolation.read = settings.read;
  isolation.network = settings.network;
  isolation.egress = settings.egress;
  isolation.egress_limits = settings.egress_limits;
  isolation.root = settings.root;
  isolation.bwrap = settings.bwrap;
  isolation.limits = settings.limits;
  return isolation;
}

std::unique_ptr<Engine> make_bubblewrap_engine(const std::string& upstream,
                                               const SandboxSettings& settings, ThreadPool& pool,
                                               metrics::Registry* registry) {
  return std::make_unique<BubblewrapEngine>(upstream, settings, pool, registry);
}

}  // namespace patchbay::upstreams
