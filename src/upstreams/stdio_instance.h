// A StdioInstance keeps one copy of a program running: starts it, shakes hands, lists its tools,
// answers calls with it, and brings it back when it dies, with a growing pause between attempts.
//
// Lives on its home worker; running() and up() may be read anywhere.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/scope.h"
#include "gateway/upstream.h"
#include "net/child.h"
#include "net/loop.h"
#include "observe/metrics.h"
#include "transport/line_channel.h"
#include "upstreams/mcp_link.h"
#include "upstreams/stderr_log.h"
#include "upstreams/stdio_settings.h"

namespace patchbay::upstreams {

class StdioInstance final : McpLink::Events {
 public:
  // Who owns the instances of an upstream. Told on the instance's worker.
  class Owner {
   public:
    virtual void on_items(StdioInstance& instance, mcp::ItemLists items) = 0;
    virtual void on_updated(StdioInstance& instance, const std::string& uri) = 0;
    // What the program must be subscribed to when it has come up.
    virtual std::vector<std::string> subscribed(StdioInstance& instance) = 0;
    virtual void on_state(StdioInstance& instance, const gateway::UpstreamState& state) = 0;

   protected:
    ~Owner() = default;
  };

  StdioInstance(net::Loop& home, std::string upstream, const StdioSettings& settings, Owner& owner,
                const LinkCounters& counters, metrics::Counter& restarts);

  net::Loop& home() { return home_; }
  int running() const { return running_.load(std::memory_order_relaxed); }
  bool up() const { return up_.load(std::memory_order_relaxed); }

  // The following are called on the home worker.

  // Begins to keep the program running; yields when the first attempt has ended.
  Task<void> start();
  Task<mcp::Reply> answer(const gateway::Call& call, std::string_view target);
  // Lets calls finish until `deadline`, then ends the program.
  Task<void> stop(Deadline deadline);

 private:
  // One life of the program: everything that begins and ends with it.
  struct Life {
    Life(std::unique_ptr<net::Child> spawned, const StdioSettings& settings,
         const std::string& upstream, McpLink::Events& events, const LinkCounters& counters)
        : child(std::move(spawned)),
          errors(child->take_stderr(), upstream, settings.stderr_lines),
          channel(child->take_stdout(), child->take_stdin(),
                  {settings.line.value, settings.outbox.value}),
          link(channel, events, counters) {
      channel.start(link);
    }
    std::unique_ptr<net::Child> child;
    StderrLog errors;
    transport::LineChannel channel;
    McpLink link;
  };

  void on_items_changed() override;
  void on_updated(const std::string& uri) override { owner_.on_updated(*this, uri); }
  void on_link_closed(const std::string& why) override;

  Task<void> keep_running();
  Task<void> live();
  Task<void> end_life();
  Task<void> refresh_items();
  Task<void> wait_until_up(Deadline deadline);
  Task<void> wait_until_quiet(Deadline deadline);
  void settle(bool up, std::string detail);
  void tell_waiters();
  config::Duration next_pause();
  bool worth_waiting() const;
  net::Program program() const;

  // Constant after construction.
  net::Loop& home_;
  const std::string upstream_;
  const StdioSettings settings_;
  Owner& owner_;
  const LinkCounters& counters_;
  metrics::Counter& restarts_;

  // Read by any thread, written on the home worker.
  std::atomic<int> running_ = 0;
  std::atomic<bool> up_ = false;

  // Touched on the home worker only.
  Scope scope_;
  std::optional<Life> life_;
  std::optional<OneShot<std::string>> closed_;  // Delivered with the reason when the link ends.
  std::string detail_ = "starting";
  std::vector<OneShot<void>*> waiters_;  // Calls that wait for the program to come up.
  OneShot<void> first_attempt_;          // Has ended, well or not.
  OneShot<void>* quiet_ = nullptr;       // Who waits for the last call to end.
  std::deque<Deadline> exits_;           // Recent ones.
  Deadline next_attempt_{};
  bool starting_ = true;
  bool breaker_open_ = false;
  bool stopping_ = false;
  Stop stop_restarts_;
  bool refreshing_ = false;
  bool refresh_again_ = false;
};

}  // namespace patchbay::upstreams
