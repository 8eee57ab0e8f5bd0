// An Instance keeps one connection to an MCP server: makes it, shakes hands, lists what the server
// has, answers calls with it, sees that it is alive, and brings it back when it is lost, with a
// growing pause between attempts.
//
// Confined to its owner worker; running(), up() and last_used() may be read anywhere.
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
  // Who owns the instances of an upstream. Told on the instance's worker.
  class Owner {
   public:
    virtual void on_items(Instance& instance, mcp::ItemLists items) = 0;
    // The server lists more than it may.
    virtual void on_items_refused(Instance& instance, const Error& why) = 0;
    virtual void on_updated(Instance& instance, const std::string& uri) = 0;
    virtual void on_task(Instance& instance, const gateway::TaskUpdate& update) = 0;
    // The server has asked something of a client without saying in which call.
    virtual void on_asked(Instance& /*instance*/) {}
    // What the server must tell of when it has come up.
    virtual std::vector<std::string> subscribed(Instance& instance) = 0;
    virtual void on_state(Instance& instance, const gateway::UpstreamState& state) = 0;
    // What the server states about its use.
    virtual void on_instructions(Instance& /*instance*/, const std::string& /*text*/) {}

   protected:
    ~Owner() = default;
  };

  // What an instance is made of. REQUIRES: what is referred to outlives it.
  struct Parts {
    net::Loop& worker;
    std::string upstream;
    McpSettings settings;
    std::unique_ptr<Connector> connector;
    Owner& owner;
    const LinkCounters& counters;
    metrics::Counter& restarts;
    bool lists = true;  // Reports to the owner what the server has; otherwise it only answers.
    std::string task_prefix = {};  // The ids of its tasks begin with it.
  };

  explicit Instance(Parts parts);

  net::Loop& loop() { return loop_; }
  bool lists() const { return lists_; }
  int running() const { return running_.load(std::memory_order_relaxed); }
  bool up() const { return up_.load(std::memory_order_relaxed); }
  Deadline last_used() const { return last_used_.load(std::memory_order_relaxed); }
  // As if it had been used now.
  void touch() { last_used_.store(Clock::now(), std::memory_order_relaxed); }

  // The following are called on the owner worker.

  // Begins to keep the connection; yields when the first attempt has ended. Once is enough.
  Task<void> start();
  Task<mcp::Reply> answer(const gateway::Call& call, std::string_view target);
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

  // Keeps the link for one call or list.
  class Use {
   public:
    explicit Use(Instance& instance) : count_(instance.running_), pass_(instance.in_use_) {
      ++count_;
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() { --count_; }

   private:
    std::atomic<int>& count_;
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
  Task<void> wait_for_end();
  Task<void> end_run();
  Task<void> renew();
  Task<void> refresh_items();
  void notify_items(Result<mcp::ItemLists> items);
  Task<void> wait_until_up(Deadline deadline);
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
  std::atomic<Deadline> last_used_;

  // Touched on the owner worker only.
  Scope scope_;
  Gate in_use_;  // Calls and lists that need the link.
  std::optional<Run> run_;
  std::optional<OneShot<std::string>> closed_;  // Delivered with the reason when the link ends.
  HandshakeMode handshake_mode_;                // What the last handshake has taught.
  std::string detail_ = "starting";
  std::optional<Error> denied_;          // There was no token, so that waiting does not help.
  std::vector<OneShot<void>*> waiters_;  // Calls that wait for the server to come up.
  OneShot<void> first_attempt_;          // Has ended, well or not.
  std::deque<Deadline> exits_;           // Recent ones.
  Deadline next_attempt_{};
  bool started_ = false;
  bool starting_ = true;
  bool renewing_ = false;
  int renewals_ = 0;     // Of a session that the server had lost.
  int slow_starts_ = 0;  // Attempts in a row that took too long.
  bool was_up_ = false;  // The current run got as far as answering calls.
  bool breaker_open_ = false;
  bool stopping_ = false;
  Stop stop_restarts_;
  bool refreshing_ = false;
  bool refresh_again_ = false;
};

}  // namespace patchbay::upstreams
