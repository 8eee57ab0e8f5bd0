// The tasks of one server: calls that it continues after it has answered. A client that supports
// tasks gets them in the form of its own revision, whichever the server uses. For other clients,
// the link waits for a tool that runs only as a task.
//
// Confined to the worker of its link.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "async/scope.h"
#include "gateway/call/upstream.h"
#include "mcp_client/finished_tasks.h"
#include "mcp_client/proxied_task.h"
#include "mcp_client/settings.h"

namespace patchbay::upstreams {

// The task parameters of a request.
struct TaskFields {
  std::string_view task =
      {};                 // Raw, for a session-based server that should turn the call into a task.
  bool declared = false;  // Declares to a stateless server that the client supports tasks.
};

class LinkTasks {
 public:
  // The services of a link for its tasks. REQUIRES: outlives them.
  class Link {
   public:
    virtual bool is_stateless() const = 0;
    // The server has declared tasks.
    virtual bool has_tasks() const = 0;
    // Sends the call in its client's form, and again with answers as often as the server asks.
    virtual Task<mcp::Reply> exchange(const gateway::Call& call, std::string_view target,
                                      TaskFields fields, Deadline& deadline) = 0;
    // Sends a request of our own about the task `id`; if there is a call, on behalf of its client.
    // `more` are raw members of its parameters.
    virtual Task<mcp::Reply> ask_about(const gateway::Call* call, std::string_view method,
                                       const std::string& id, std::string_view more,
                                       Deadline deadline) = 0;
    // Subscribes to the updates of subscribed_tasks().
    virtual Task<void> subscribe_followed(Deadline deadline) = 0;
    virtual void on_task(const gateway::TaskUpdate& update) = 0;

   protected:
    ~Link() = default;
  };

  // The role of tasks in a call of a tool.
  enum class Use : std::uint8_t {
    none,         // The call cannot become a task.
    if_required,  // A stateless server may require one for a client that does not support tasks.
    task,         // The client gets a task.
    wait,         // The server makes a task; the client gets its result.
  };

  // The ids of tasks begin with `task_prefix`, by which requests about them find this connection.
  LinkTasks(Link& link, std::string task_prefix, const TaskSettings& settings)
      : link_(link),
        task_prefix_(std::move(task_prefix)),
        settings_(settings),
        finished_(settings) {}

  // REQUIRES: the server has tasks.
  static Use use_for(const gateway::Call& call, bool stateless_server);

  // Answers tools/call. REQUIRES: `use` is not none.
  Task<mcp::Reply> call(const gateway::Call& call, std::string_view tool, Use use,
                        Deadline& deadline);

  // Answers a request about the task that the server calls `id`.
  Task<mcp::Reply> answer(const gateway::Call& call, std::string id, Deadline deadline);

  // The id under which the client of `call` knows the server's task `id`.
  std::string listed(const gateway::Call& call, std::string_view id) const;

  // The server reports the state of a task by itself.
  void on_status(const mcp::Message& notification);
  // Updates of followed tasks may have been missed.
  void on_missed();

  // The clients without a session that follow one task.
  struct Follower {
    int count = 0;
    std::string capabilities;  // Of one of them, raw.
    std::chrono::nanoseconds timeout{0};
    bool looking = false;     // Its state is being fetched...
    bool look_again = false;  // ...and must be fetched once more.
  };
  // The tasks whose updates are requested of a stateless server.
  std::set<std::string> subscribed_tasks() const;

  // Releases everything. REQUIRES: called before this is destroyed, after the link has failed the
  // waiting requests.
  Task<void> stop();

 private:
  bool stateless() const { return link_.is_stateless(); }

  Task<mcp::Reply> created(const gateway::Call& call, mcp::Reply reply, Use use, Deadline deadline);
  Task<mcp::Reply> wait_for(const gateway::Call& call, const std::string& id, Deadline deadline);
  mcp::Reply finished(const gateway::Call& call, mcp::Reply reply);

  Task<mcp::Reply> answer_session(const gateway::Call& call, const std::string& id,
                                  Deadline deadline);
  Task<mcp::Reply> cancel_for_session(const gateway::Call& call, const std::string& id,
                                      Deadline deadline);
  Task<mcp::Reply> outcome(const gateway::Call& call, const std::string& id, Deadline deadline);

  Task<mcp::Reply> answer_stateless(const gateway::Call& call, const std::string& id,
                                    Deadline deadline);
  Task<mcp::Reply> cancel_for_stateless(const gateway::Call& call, const std::string& id,
                                        Deadline deadline);
  Task<mcp::Reply> details(const gateway::Call* call, const std::string& id, const Follower& client,
                           Deadline deadline);
  Result<std::shared_ptr<ProxiedTask>> attend(const std::string& id, const Follower& client);
  Task<void> run_proxied(std::shared_ptr<ProxiedTask> task);

  Task<mcp::Reply> follow(const gateway::Call& call, const std::string& id, Deadline deadline);
  mcp::Reply unfollow(const std::string& id);
  Task<void> follow_for_session(std::string id, Deadline until);
  void look_at(const std::string& id);
  Task<void> look(std::string id);
  Task<void> notify_details(const std::string& id, Follower client);
  Task<void> give_up(std::string id);

  std::string upstream_id(std::string_view id) const {
    return task_prefix_ + '.' + std::string(id);
  }
  mcp::Reply with_listed(const gateway::Call& call, mcp::Reply reply) const;

  Link& link_;
  const std::string task_prefix_;
  const TaskSettings settings_;
  FinishedTasks finished_;
  std::map<std::string, Follower> followed_;
  std::map<std::string, Deadline> of_sessions_;  // For a stateless server: the latest time.
  std::map<std::string, std::shared_ptr<ProxiedTask>> proxied_;
  Scope scope_;
};

}  // namespace patchbay::upstreams
