// An McpLink speaks MCP as a client over one Channel: the handshake of a stateless or
// session-based server, the lists, and calls, pipelined and matched by ids of our own. It ends with
// its channel; a new connection is a new link.
//
// Confined to the worker of its channel.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "async/liveness.h"
#include "async/one_shot.h"
#include "gateway/call/upstream.h"
#include "mcp_client/link_tasks.h"
#include "mcp_client/listen_stream.h"
#include "mcp_client/notification_rate.h"
#include "mcp_client/pending_request.h"
#include "mcp_client/settings.h"
#include "observe/metrics.h"
#include "transport/channel.h"

namespace patchbay::upstreams {

// Messages of a peer that could not be used.
struct LinkCounters {
  LinkCounters(metrics::Registry& registry, std::string_view upstream);

  std::shared_ptr<metrics::Counter> not_json;    // A line that is not JSON.
  std::shared_ptr<metrics::Counter> invalid;     // JSON, but not a message.
  std::shared_ptr<metrics::Counter> unknown_id;  // An answer to a request that was never sent.
  std::shared_ptr<metrics::Counter> late;        // An answer after the deadline, or a second one.
  std::shared_ptr<metrics::Counter> refused;   // A request of the server that no client can answer.
  std::shared_ptr<metrics::Counter> too_many;  // A notification above max_notifications.
  std::shared_ptr<metrics::Histogram> queue_time;  // Of calls, before they are sent.
  const std::string upstream;                      // Its name.
};

// The client capabilities that are declared to a session-based server, by the settings of its
// connection.
mcp::Abilities declared_abilities(const McpSettings& settings);

// Whether a server is known to be stateless or session-based before the handshake.
enum class HandshakeMode : std::uint8_t { ask, stateless, session_based };

// A call ends with this error if its client cannot answer the server's question.
inline constexpr Code kRefusedQuestion = Code::missing_capability;

// The same for a server whose settings name the revision.
HandshakeMode handshake_mode_for(Spoken wanted);
// Empty: detect it.
std::optional<mcp::Revision> wanted_revision(Spoken wanted);

class McpLink final : public transport::Channel::Listener, ListenStream::Link, LinkTasks::Link {
 public:
  class Events {
   public:
    virtual void on_items_changed() = 0;
    virtual void on_updated(const std::string& uri) = 0;
    virtual void on_task(const gateway::TaskUpdate& update) = 0;
    // The server has lost our session: open() again.
    virtual void on_forgotten() = 0;
    // The server has sent a request for a client without identifying the call.
    virtual void on_asked() {}
    // The link can no longer be used.
    virtual void on_link_closed(const std::string& why) = 0;

   protected:
    ~Events() = default;
  };

  // REQUIRES: everything referred to outlives the link. The ids of its tasks begin with
  // `task_prefix`, by which requests about them find this link.
  McpLink(transport::Channel& channel, Events& events, const LinkCounters& counters,
          std::string task_prefix = "", const McpSettings& settings = {});

  // The handshake. HandshakeMode::ask tries the stateless revision first, for at most `probe`.
  Task<void> open(HandshakeMode handshake_mode, std::chrono::nanoseconds probe, Deadline deadline);

  // The result of the handshake.
  mcp::Revision revision() const { return revision_; }
  bool stateless() const { return mcp::info(revision_).stateless; }
  // The server's instructions; empty if there are none.
  const std::string& instructions() const { return instructions_; }
  // The server has answered a handshake of either kind.
  bool answered() const { return answered_; }
  bool closed() const { return closed_; }

  // All pages of all lists of the server. Code::too_large if it lists more than it may.
  Task<mcp::ItemLists> list_all(Deadline deadline);

  // The same for one list; empty if the server does not have such items.
  Task<std::vector<mcp::Item>> list(mcp::ItemKind kind, Deadline deadline);

  // What the latest lists had and must not be offered; null: nothing.
  std::shared_ptr<const gateway::LeftOut> left_out() const { return left_out_; }

  // Subscribes to changes of the lists and of these resources. Yields when the server has agreed,
  // or at once if there is nothing to subscribe to.
  Task<void> subscribe(const std::vector<std::string>& uris, Deadline deadline);

  // Yields when the server has answered.
  Task<void> check(Deadline deadline);

  // Forwards the call and waits for its answer. Code::missing_capability if a session-based server
  // has requested a capability that was declared to it and that this client lacks: the call is
  // cancelled there, and may be repeated over a link that declares less. The data of that error is
  // the method of the request. `deadline` moves while the client of the call answers questions.
  // REQUIRES: it and `target` exist until the answer arrives.
  Task<mcp::Reply> ask(const gateway::Call& call, std::string_view target, Deadline& deadline);

  // Fails all requests that wait.
  void fail_all(const Error& error);

  // Ends the link's own tasks. REQUIRES: called before the link is destroyed.
  Task<void> finish();

 private:
  using Pending = PendingRequest;

  void on_message(std::string_view text, std::uint64_t cause) override;
  void on_whole_message(std::string text, std::uint64_t cause) override;
  void take_message(std::string_view text, std::uint64_t cause, std::string* memory);
  bool awaits(std::uint64_t id) const override;
  void on_lost(std::uint64_t id, const Error& why) override;
  void on_forgotten() override { events_.on_forgotten(); }
  void on_closed(const std::string& why) override;
  void on_response(const mcp::Message& message, std::uint64_t cause, std::string* memory);
  void on_notification(const mcp::Message& message, std::uint64_t cause);
  // One for each notification of the server; `cause` is the request that it belongs to.
  struct Notification;
  void on_resource_updated(const mcp::Message& message, std::uint64_t cause);
  void on_log(const mcp::Message& message, std::uint64_t cause);
  void on_progress(const mcp::Message& message, std::uint64_t cause);
  void send_progress(Pending& asked, std::string_view params);
  void send_waiting_progress(Pending& asked);
  void on_progress_due();
  void on_task_status(const mcp::Message& message, std::uint64_t cause);
  void on_subscribed(const mcp::Message& message, std::uint64_t cause);
  bool is_too_many();
  void on_request(const mcp::Message& message, std::uint64_t cause);
  void refuse_question(const mcp::Message& message);
  // Whether the server requests a capability that was declared to it and that the call's client
  // lacks.
  bool declared_too_much(const Pending& asked, const mcp::Message& question) const;
  static bool may_begin_again(const Pending& asked, std::string_view method, std::uint64_t cause);
  void answer(std::string_view id, const mcp::Reply& reply);
  // The call that a message belongs to: the one that caused it, else one about the task that the
  // message belongs to, else the latest of the only client
  // that has calls running, those that wait for their client and those whose client has gone left
  // aside. Null if there is a doubt.
  Pending* call_of(std::uint64_t cause, std::string_view task);
  template <class Fits>
  Pending* only_client(Fits fits);
  Pending* only_present_client();
  // Who still waits for the answer with that raw id; null if nobody does.
  Pending* find_pending(std::string_view raw_id);
  Pending* find_pending(std::uint64_t id);

  Task<void> discover(Deadline deadline);
  Task<void> initialize(Deadline deadline);
  Task<std::vector<mcp::Item>> list_within(mcp::ItemKind kind, gateway::ListBudget& budget,
                                           Deadline deadline);
  Result<void> take_page(mcp::ItemKind kind, std::string_view items, gateway::ListBudget& budget,
                         std::vector<mcp::Item>& to);
  void leave_out(mcp::ItemKind kind, std::string_view name, std::string_view why);
  Task<mcp::Reply> shake(std::string_view method, std::string params,
                         std::optional<mcp::Revision> revision, Deadline deadline);
  // The log level to set at the server because the call's client wants more messages.
  std::optional<int> level_to_ask(const gateway::Call& call) const;
  Task<void> want_level(int level, Deadline deadline);
  Task<mcp::Reply> follow(std::string uri, Deadline deadline);

  std::uint64_t mint_id() override { return next_id_++; }
  // Our id in the form that the server requires, raw; and the reverse.
  std::string raw_id(std::uint64_t id) const;
  static std::optional<std::uint64_t> our_id(std::string_view raw);
  Task<mcp::Reply> listen(std::uint64_t id, std::string params) override;
  void on_missed() override;

  // LinkTasks::Link.
  bool is_stateless() const override { return stateless(); }
  bool has_tasks() const override { return has_tasks_; }
  Task<mcp::Reply> exchange(const gateway::Call& call, std::string_view target, TaskFields fields,
                            Deadline& deadline) override;
  Task<mcp::Reply> ask_about(const gateway::Call* call, std::string_view method,
                             const std::string& id, std::string_view more,
                             Deadline deadline) override;
  Task<void> subscribe_followed(Deadline deadline) override;
  void on_task(const gateway::TaskUpdate& update) override { events_.on_task(update); }

  Task<mcp::Reply> ask_at_level(const gateway::Call& call, std::string_view target, int level,
                                Deadline& deadline);
  Task<mcp::Reply> ask_routed(const gateway::Call& call, std::string_view target,
                              Deadline& deadline);
  Task<mcp::Reply> unfollow(std::string_view uri);
  std::string with_listed_tasks(const gateway::Call& call, std::string_view params) const;

  // The capabilities of the client for a stateless server; null: those of the gateway itself.
  std::string capabilities_of(const gateway::Call* call, bool with_tasks) const;
  Result<void> forward(const gateway::Call& call, std::string_view target, const TaskFields& fields,
                       std::string_view answers, Pending& pending, Deadline deadline);
  // Sends a request and starts to wait for its answer, which is then taken from pending.answer and
  // passed through received().
  Result<void> send(std::string text, const transport::Sending& how, Pending& pending,
                    Deadline deadline);
  Result<mcp::Reply> received(Pending& pending, Result<mcp::Reply> answer);
  Task<mcp::Reply> request(std::string_view method, std::string params, Deadline deadline);
  Task<mcp::Reply> request(std::uint64_t id, std::string_view method, std::string params,
                           Deadline deadline);

  transport::Channel& channel_;
  Events& events_;
  const LinkCounters& counters_;
  const ProtocolSettings protocol_;
  const gateway::ListLimits list_limits_;
  const mcp::Abilities declared_;  // Declared to a server with sessions.
  const bool requests_progress_;   // For calls whose clients do not.
  NotificationRate notifications_;
  // Fires when progress that came too soon may be sent.
  struct ProgressTimer final : Timer {
    explicit ProgressTimer(McpLink& of) : link(of) {}
    void on_deadline() override { link.on_progress_due(); }
    McpLink& link;
  } progress_timer_{*this};
  std::uint64_t next_id_ = 1;
  using PendingMap = std::unordered_map<std::uint64_t, Pending*>;
  PendingMap pending_;
  PendingMap::node_type
      spare_;  // The id of the last request that ended, which the next one reuses.
  mcp::Revision revision_ = mcp::kNewestSessionBased;
  bool answered_ = false;
  bool closed_ = false;
  std::string capabilities_;  // Of the server, raw.
  std::string instructions_;  // Of the server.
  std::shared_ptr<gateway::LeftOut> left_out_;
  bool has_tasks_ = false;  // As the server declares.
  bool logged_refusal_ = false;
  std::optional<int> level_;  // The least important log messages that it sends, once this was set.

  // For a stateless server: the subscription to its notifications.
  std::set<std::string, std::less<>> followed_;
  bool follows_lists_ = false;  // And to changes of its lists.
  ListenStream update_{*this};
  LinkTasks tasks_;

  const Liveness liveness_;
};

}  // namespace patchbay::upstreams
