// An Instance maintains one connection to an MCP server: it connects, does the handshake, lists the
// server's items, answers calls, checks the health of the server, and reconnects after a loss, with
// a growing pause between attempts.
//
// Confined to its owner worker; running(), up(), since() and last_used() may be read anywhere.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/gate.h"
#include "async/scope.h"
#include "gateway/call/upstream.h"
#include "mcp_client/connect/connector.h"
#include "mcp_client/link.h"
#include "mcp_client/settings.h"
#include "net/io/loop.h"
#include "observe/metrics.h"

namespace patchbay::upstreams {

class Instance final : McpLink::Events {
 public:
  // The owner of the instances of an upstream. Called on the instance's worker.
  class Owner {
   public:
    // Its items, and what it has besides them; null: nothing.
    virtual void on_items(Instance& instance, mcp::ItemLists items,
                          std::shared_ptr<const gateway::LeftOut> left_out) = 0;
    // The server lists more than it may.
    virtual void on_items_refused(Instance& instance, const Error& why) = 0;
    virtual void on_updated(Instance& instance, const std::string& uri) = 0;
    virtual void on_task(Instance& instance, const gateway::TaskUpdate& update) = 0;
    // The server has sent a request for a client without identifying the call.
    virtual void on_asked(Instance& /*instance*/) {}
    // The resources to which the server must be subscribed when it has come up.
    virtual std::vector<std::string> subscribed(Instance& instance) = 0;
    virtual void on_state(Instance& instance, const gateway::UpstreamState& state) = 0;
    // The server's instructions.
    virtual void on_instructions(Instance& /*instance*/, const std::string& /*text*/) {}

   protected:
    ~Owner() = default;
  };

  // The parts of an instance. REQUIRES: objects that are referred to outlive it.
  struct Parts {
    net::Loop& worker;
    std::string upstream;
    McpSettings settings;
    std::unique_ptr<Connector> connector;
    Owner& owner;
    const LinkCounters& counters;
    metrics::Counter& restarts;
    bool lists = true;  // Reports the server's items to the owner; otherwise it only answers calls.
    std::string task_prefix = {};  // The prefix of the ids of its tasks.
  };

  explicit Instance(Parts parts);

  net::Loop& loop() { return loop_; }
  bool lists() const { return lists_; }
  int running() const { return running_.load(std::memory_order_relaxed); }
  bool up() const { return up_.load(std::memory_order_relaxed); }
  // Since when it has been up, or not.
  std::chrono::system_clock::time_point since() const {
    return since_.load(std::memory_order_relaxed);
  }
  Deadline last_used() const { return last_used_.load(std::memory_order_relaxed); }
  // Counts as a use now.
  void touch() { last_used_.store(Clock::now(), std::memory_order_relaxed); }

  // The following are called on the owner worker.

  // Begins to maintain the connection; yields when the first attempt has ended. Called once.
  Task<void> start();
  // Starts without waiting, so that a later call finds the server up.
  void prepare();
  // The call has waited for this worker since `asked`.
  Task<mcp::Reply> answer(const gateway::Call& call, std::string_view target, Deadline asked);
  // Ends the connection and makes it anew at once, or ends the pause before the next attempt. What
  // failed before is forgotten. Calls in progress fail.
  Task<void> restart();
  // Lets calls finish until `deadline`, then releases the server.
  Task<void> stop(Deadline deadline);

 private:
  // One run of the connection: everything that begins and ends with it.
  struct Run {
    Run(std::unique_ptr<Connection> made, McpLink::Events& events, const LinkCounters& counters,
        const std::string& task_prefix, const McpSettings& settings)
        : connection(std::move(made)),
          link(connection->channel(), events, counters, task_prefix, settings) {
      connection->channel().start(link);
    }
    std::unique_ptr<Connection> connection;
    McpLink link;
  };

  // Holds the link for one call. A subscription asks no question, and its client may have gone: it
  // does not count, so that no call avoids the connection because of it.
  class Use {
   public:
    Use(Instance& instance, const mcp::Method& method)
        : count_(instance.running_),
          counted_(method.subscribes() ? 0 : 1),
          pass_(instance.in_use_) {
      count_ += counted_;
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() { count_ -= counted_; }

   private:
    std::atomic<int>& count_;
    const int counted_;
    const Gate::Pass pass_;
  };

  void on_items_changed() override;
  void on_updated(const std::string& uri) override { owner_.on_updated(*this, uri); }
  void on_task(const gateway::TaskUpdate& update) override { owner_.on_task(*this, update); }
  void on_forgotten() override;
  void on_asked() override { owner_.on_asked(*this); }
  void on_link_closed(const std::string& why) override;

  Error leaving() const;
  Task<void> keep_running();
  Task<void> run_once();
  Task<void> begin_in_time();
  Task<void> begin(Deadline deadline);
  Task<void> open(Deadline deadline);
  Task<void> take_up_work(Deadline deadline);
  Task<void> wait_for_person();
  Task<void> rest();
  Task<void> wait_for_end();
  Task<void> end_run();
  Task<void> renew();
  Task<void> refresh_items();
  void notify_items(Result<mcp::ItemLists> items);
  Task<void> wait_until_up(Deadline deadline);
  void set_up(bool up);
  void set_state(bool up, std::string detail);
  void notify_waiters();
  config::Duration next_pause();
  bool worth_waiting() const;

  // Constant after construction.
  net::Loop& loop_;
  const std::string upstream_;
  const McpSettings settings_;
  const std::unique_ptr<Connector> connector_;
  Owner& owner_;
  const LinkCounters& counters_;
  metrics::Counter& restarts_;
  const bool lists_;
  const std::string task_prefix_;

  // Read by any thread, written on the owner worker.
  std::atomic<int> running_ = 0;
  std::atomic<bool> up_ = false;
  std::atomic<std::chrono::system_clock::time_point> since_;
  std::atomic<Deadline> last_used_;

  // Touched on the owner worker only.
  Scope scope_;
  Gate in_use_;  // Calls and lists that need the link.
  std::optional<Run> run_;
  std::optional<OneShot<std::string>> closed_;  // Delivered with the reason when the link ends.
  HandshakeMode handshake_mode_;                // The result of the last handshake.
  std::string detail_ = "starting";
  std::optional<Error> denied_;          // There was no token, so waiting does not help.
  std::vector<OneShot<void>*> waiters_;  // Calls that wait for the server to come up.
  OneShot<void> first_attempt_;          // The first attempt has ended, successfully or not.
  std::deque<Deadline> exits_;           // Recent losses.
  Deadline next_attempt_{};
  bool started_ = false;
  bool starting_ = true;
  bool renewing_ = false;
  int renewals_ = 0;     // The number of the session that the server had lost.
  int slow_starts_ = 0;  // Consecutive attempts that took too long.
  bool was_up_ = false;  // The current run has reached the state in which it answers calls.
  bool breaker_open_ = false;
  bool stopping_ = false;
  bool restarting_ = false;  // Asked for: the next attempt comes without a pause.
  Stop stop_restarts_;
  Stop* resting_ = nullptr;  // Ends the pause, if there is one.
  bool refreshing_ = false;
  bool refresh_again_ = false;
  Deadline next_list_{};  // Not before this, however often the server reports a change.
};

}  // namespace patchbay::upstreams
