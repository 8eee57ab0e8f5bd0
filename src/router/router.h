// The Router is an MCP server on stdin and stdout that has nothing itself: what its client says
// goes to a gateway over the wire protocol, and what the gateway says comes back. In any revision:
// messages pass as they are.
//
// Whatever happens to the connections, each request is answered once: by the gateway, or with an
// error. One that was on its way when a connection broke is sent again only if that can do no harm.
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
  // Takes both descriptors. REQUIRES: `settings` outlives the router.
  Router(const RouterSettings& settings, net::Fd in, net::Fd out);
  ~Router();

  // Serves until the client has ended its side and what it asked is answered.
  Task<void> run();

  // As if the client had ended its side.
  void end() { ended_.deliver(ok()); }

 private:
  // The answers to a batch, which leave together.
  struct Batch {
    std::size_t left = 0;
    std::string answers;
  };

  // A request of the client that has no answer yet.
  struct Asked {
    std::string text;
    std::string method;
    std::shared_ptr<Batch> batch;  // Null: it came by itself.
    RouterLink* link = nullptr;    // Where it was sent; null: it waits.
    int sent = 0;                  // How often.
    Deadline by = kNever;          // While it waits.
  };
  using Open = std::map<std::string, Asked, std::less<>>;

  // A connection and what it has to do.
  struct Place {
    std::unique_ptr<RouterLink> link;
    std::size_t running = 0;  // Requests.
    Deadline used{};          // When it had its last one.
  };

  // A question of the gateway to the client.
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
  void dispatch(Open::iterator asked);
  void wait_for_link(Open::iterator asked, bool first);
  void flush();
  void answer(Open::iterator asked, std::string text);
  void fail(Open::iterator asked, const Error& why);
  void fail_waiting(const Error& why);
  Place* choose(std::string_view method);
  Place* place_of(const RouterLink* link);
  bool is_primary(const RouterLink& link) const { return places_.front().link.get() == &link; }
  void add_link();
  void grow();
  void shrink();
  Task<void> attend();
  Task<void> let_go(std::unique_ptr<RouterLink> link);
  Task<void> stop_links();

  const RouterSettings& settings_;
  RouterToken token_;
  transport::LineChannel client_;
  RouterSession session_;
  std::vector<Place> places_;  // The first one is always there: the primary.
  int next_link_ = 1;
  Open open_;                      // By raw id.
  std::deque<std::string> queue_;  // Ids of those that wait, the first one first.
  std::map<std::string, Question, std::less<>> questions_;  // By the raw id that the client sees.
  std::uint64_t next_question_ = 1;
  Error unreachable_{Code::unavailable, "the gateway has not been reached yet"};  // Why not.
  OneShot<void> ended_;        // The client has ended its side.
  OneShot<void> answered_;     // Nothing is open any more.
  bool initializing_ = false;  // The client waits for the answer to `initialize`.
  Scope scope_;
};

}  // namespace patchbay::app
