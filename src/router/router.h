// The Router is an MCP server on stdin and stdout without tools of its own: it forwards messages
// between its client and a gateway over the wire protocol. Messages of any revision pass unchanged.
//
// Whatever happens to the connections, each request is answered once: by the gateway, or with an
// error. A request that was in progress when a connection broke is repeated only if it is
// idempotent.
//
// Confined to one thread.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/message.h"
#include "router/link.h"
#include "router/session.h"
#include "transport/line_channel.h"

namespace patchbay::app {

class Router final : transport::Channel::Listener, RouterLink::Owner {
 public:
  // Owns both descriptors. REQUIRES: `settings` outlives the router.
  Router(const RouterSettings& settings, net::Fd in, net::Fd out);
  ~Router();

  // Serves until the client has closed its side and all its requests are answered.
  Task<void> run();

  // As if the client had closed its side.
  void end() { ended_.deliver(ok()); }

 private:
  // The answers to a batch, which are sent together.
  struct Batch {
    std::size_t left = 0;
    std::string answers;
  };

  // A request of the client without an answer yet.
  struct Pending {
    std::string text;
    std::string method;
    std::shared_ptr<Batch> batch;  // Null: not part of a batch.
    RouterLink* link = nullptr;    // Where it was sent; null: it waits.
    int sent = 0;                  // How often.
    Deadline by = kNever;          // When it fails if it still waits.
    Deadline not_before{};  // When the gateway accepts it again, if it exceeded the rate limit.
  };
  using Open = std::map<std::string, Pending, std::less<>>;

  // A connection and its load.
  struct Slot {
    std::unique_ptr<RouterLink> link;
    std::size_t running = 0;  // Requests.
    Deadline used{};          // When it last had a request.
  };

  // A request of the gateway to the client.
  struct Question {
    RouterLink* link;
    std::string id;  // Raw, as the gateway has it.
  };

  // The client's side.
  void on_message(std::string_view text, std::uint64_t cause) override;
  void on_closed(const std::string& why) override;
  void take_batch(std::string_view text);
  void take(std::string_view text, const std::shared_ptr<Batch>& batch);
  void take_request(const mcp::Message& message, std::string_view text,
                    const std::shared_ptr<Batch>& batch);
  void take_notification(const mcp::Message& message, std::string_view text);
  void take_cancelled(const mcp::Message& message, std::string_view text);
  void take_response(const mcp::Message& message, std::string_view text);
  void notify_client(std::string text);
  void reply(const std::shared_ptr<Batch>& batch, std::string text);
  void leave_batch(Batch& batch, std::string_view answer);

  // The gateway's side.
  Task<void> open(RouterLink& link) override;
  void on_up(RouterLink& link) override;
  void on_message(RouterLink& link, std::string_view text) override;
  void on_down(RouterLink& link, const Error& why) override;
  void on_answer(RouterLink& link, const mcp::Message& message, std::string_view text);
  void on_question(RouterLink& link, const mcp::Message& message, std::string_view text);
  void on_update(RouterLink& link, const mcp::Message& message, std::string_view text);
  void drop_questions(RouterLink& link);
  void spread_level(std::string_view params);

  // In between.
  void dispatch(Open::iterator pending);
  void wait_for_link(Open::iterator pending, bool first);
  bool wait_for_rate(Open::iterator pending, const mcp::Message& refusal);
  void note_rate(std::chrono::milliseconds wait);
  Task<void> send_later(std::string id, Deadline time);
  void flush();
  void answer(Open::iterator pending, std::string text);
  void fail(Open::iterator pending, const Error& why);
  void fail_waiting(const Error& why);
  Slot* choose(std::string_view method);
  Slot* slot_of(const RouterLink* link);
  bool is_primary(const RouterLink& link) const { return slots_.front().link.get() == &link; }
  void add_link();
  void grow();
  void shrink();
  Task<void> attend();
  Task<void> stop_link(std::unique_ptr<RouterLink> link);
  Task<void> stop_links();

  const RouterSettings& settings_;
  RouterToken token_;
  transport::LineChannel client_;
  RouterSession session_;
  std::vector<Slot> slots_;  // The first one always exists: the primary.
  int next_link_ = 1;
  Open open_;                      // By raw id.
  std::deque<std::string> queue_;  // Ids of waiting requests, the oldest first.
  std::map<std::string, Question, std::less<>> questions_;  // By the raw id that the client sees.
  std::uint64_t next_question_ = 1;
  Error unreachable_{Code::unavailable, "the gateway has not been reached yet"};  // The reason.
  OneShot<void> ended_;           // The client has closed its side.
  OneShot<void> answered_;        // No request is pending.
  Deadline next_rate_note_ = {};  // Until then the rate limit of the gateway is not logged again.
  bool initializing_ = false;     // The client waits for the answer to `initialize`.
  Scope scope_;
};

}  // namespace patchbay::app
