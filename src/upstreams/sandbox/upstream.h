// The SandboxUpstream runs untrusted code in sandboxes with an agent inside, as MCP tools. Each
// sandbox belongs to the caller that made it.
//
// Owned by one worker; answer() and state() may be called on any, start() and stop() on the control
// thread.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "async/gate.h"
#include "async/thread_pool.h"
#include "gateway/call/upstream.h"
#include "gateway/sandbox_host.h"
#include "net/io/loop.h"
#include "upstreams/sandbox/answers.h"
#include "upstreams/sandbox/pool.h"
#include "upstreams/sandbox/sandbox_table.h"
#include "upstreams/sandbox/tools.h"

namespace patchbay::upstreams {

class SandboxUpstream final : public gateway::Upstream, public gateway::SandboxHost {
 public:
  // REQUIRES: workers, watcher and registry outlive the upstream.
  SandboxUpstream(std::string name, SandboxSettings settings,
                  const std::vector<net::Loop*>& workers, gateway::UpstreamWatcher& watcher,
                  metrics::Registry& registry);

  std::string_view name() const override { return name_; }
  std::string_view kind() const override { return "sandbox"; }
  Task<void> start() override;
  Task<mcp::Reply> answer(const gateway::Call& call, std::string_view target) override;
  bool can_ask() const override { return false; }
  gateway::UpstreamTimeout call_timeout() const override;
  gateway::UpstreamState state() const override;
  Task<void> stop(Deadline deadline) override;

  Task<std::vector<gateway::SandboxLine>> sandboxes(std::string owner) override;
  Task<std::string> destroy_sandbox(std::string id, std::string owner) override;

 private:
  class Running;  // A call in progress.

  // All of these on the owner worker.
  Task<void> begin();
  Task<void> end(Deadline deadline);
  Task<mcp::Reply> serve(const gateway::Call& call, std::string_view target);
  Task<mcp::Reply> serve_to_end(const gateway::Call& call, std::string_view target);
  Task<std::string> use_tool(const gateway::Call& call, SandboxTool tool,
                             std::string_view arguments);
  Task<std::string> create(const gateway::Call& call, std::string_view arguments);
  Result<std::string> destroy(const std::string& owner, std::string_view arguments);
  std::string list(const std::string& owner) const;
  Task<std::vector<gateway::SandboxLine>> sandboxes_here(const std::string& owner);
  Task<std::string> run(const gateway::Call& call, SandboxTool tool, std::string_view arguments);
  Task<std::string> run_in(const gateway::Call& call, const RunRequest& request,
                           std::shared_ptr<Sandbox> sandbox);
  Task<sandbox::Usage> usage_of(const Sandbox& sandbox);
  void note_run(const RunRequest& request, const Sandbox& sandbox, const RunOutcome& outcome,
                config::Duration wall) const;
  Task<std::shared_ptr<Sandbox>> make(const std::string& owner, const CreateRequest& request,
                                      Deadline deadline);
  Task<std::string> use_file(const gateway::Call& call, SandboxTool tool,
                             const FileRequest& request);
  Task<mcp::Reply> read_resource(const gateway::Call& call, std::string_view uri);
  void set_state(bool up, std::string detail);

  // Constant after construction.
  const std::string name_;
  const SandboxSettings settings_;
  net::Loop& owner_;
  gateway::UpstreamWatcher& watcher_;
  const SandboxCounters counters_;
  const std::shared_ptr<metrics::Gauge> in_flight_;

  // Owner worker only.
  ThreadPool files_;
  std::unique_ptr<Engine> engine_;
  SandboxPool pool_;
  SandboxTable table_;
  bool stopping_ = false;  // No new call is accepted.
  Stop ending_;            // Nor is anything finished.
  Gate calls_;             // In progress.

  // Guarded: set by the owner worker, read by any.
  mutable std::mutex mutex_;
  gateway::UpstreamState state_{false, "starting"};
};

}  // namespace patchbay::upstreams
