// A StdioUpstream is a program on this machine that speaks MCP on its stdin and stdout, in one or
// more copies. Each copy has a home worker; a call goes to the copy with the fewest calls running.
//
// answer() on any worker; start() and stop() on the control thread.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gateway/upstream.h"
#include "observe/metrics.h"
#include "upstreams/stdio_instance.h"

namespace patchbay::upstreams {

class StdioUpstream final : public gateway::Upstream, StdioInstance::Owner {
 public:
  // REQUIRES: workers, watcher and registry outlive the upstream.
  StdioUpstream(std::string name, const StdioSettings& settings,
                const std::vector<net::Loop*>& workers, gateway::UpstreamWatcher& watcher,
                metrics::Registry& registry);

  std::string_view name() const override { return name_; }
  std::string_view kind() const override { return "stdio"; }
  Task<void> start() override;
  Task<mcp::Reply> answer(const gateway::Call& call, std::string_view target) override;
  gateway::UpstreamState state() const override;
  Task<void> stop(Deadline deadline) override;

 private:
  void on_items(StdioInstance& instance, mcp::ItemLists items) override;
  void on_updated(StdioInstance& instance, const std::string& uri) override;
  std::vector<std::string> subscribed(StdioInstance& instance) override;
  void on_state(StdioInstance& instance, const gateway::UpstreamState& state) override;
  StdioInstance& least_busy();
  template <class Step>
  Task<void> on_each(Step step);

  // Constant after construction.
  const std::string name_;
  gateway::UpstreamWatcher& watcher_;
  const LinkCounters counters_;
  const std::shared_ptr<metrics::Counter> restarts_;
  const std::shared_ptr<metrics::Gauge> up_;
  const std::shared_ptr<metrics::Gauge> in_flight_;
  std::vector<std::unique_ptr<StdioInstance>> instances_;

  std::atomic<std::size_t> next_ = 0;  // Any worker: whose turn it is among equals.

  // Guarded: told by every instance's worker, read by whoever asks.
  mutable std::mutex mutex_;
  gateway::UpstreamState state_{false, "starting"};
};

}  // namespace patchbay::upstreams
