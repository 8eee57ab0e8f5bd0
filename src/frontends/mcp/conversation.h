// A Conversation is one MCP client on one channel that carries everything in both directions: our
// own stdin and stdout, or the event stream of HTTP+SSE. Stateless and session-based requests, any
// number of calls at once.
//
// Confined to one worker.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "async/scope.h"
#include "core/ids.h"
#include "frontends/mcp/listening.h"
#include "frontends/mcp/subscriber.h"
#include "gateway/call/in_flight.h"
#include "gateway/call/input_requests.h"
#include "gateway/call/session_digest.h"
#include "gateway/open_clients.h"
#include "gateway/server.h"
#include "transport/channel.h"

namespace patchbay::frontends {

// Where a conversation delivers the answers to requests if they need more than the channel: an
// envelope, for example.
class AnswerSink {
 public:
  // `id` is that of the request, raw; empty if the request could not be read.
  virtual Result<void> answer(std::string_view id, const mcp::Reply& reply) = 0;

 protected:
  ~AnswerSink() = default;
};

class Conversation final : transport::Channel::Listener {
 public:
  // Answers go to `answers` if there is one, else to the channel like everything else. REQUIRES:
  // `server`, `channel` and `answers` outlive this.
  Conversation(gateway::McpServer& server, transport::Channel& channel, gateway::CallOrigin caller,
               AnswerSink* answers = nullptr)
      : server_(server), channel_(channel), answers_(answers), caller_(std::move(caller)) {}

  const Principal& caller() const { return *caller_.caller; }

  // From now on this is the caller: the same principal with other credentials.
  void set_caller(Caller caller) { caller_.caller = std::move(caller); }

  // Serves until the client ends its side, then answers the requests in progress, for at most
  // `grace`.
  Task<void> run(std::chrono::nanoseconds grace);

  // As if the client had ended its side.
  void end() { ended_.deliver(ok()); }

  // The same when the client has disconnected and needs no answers.
  void end_at_once() {
    calls_.cancel();
    end();
  }

  // A message of the client, from a channel that has parsed it.
  void take(std::unique_ptr<const mcp::OwnMessage> message) {
    calls_.spawn(serve(std::move(message), nullptr));
  }

  // The trace context that arrived with the next message, which follows at once.
  void take_context(std::unique_ptr<const trace::OwnedContext> context) {
    beside_ = std::move(context);
  }

  void notify_changed(gateway::CatalogChanges& update);
  void notify_updated(gateway::ResourceUpdate& update);
  void notify_task(const std::string& upstream, const gateway::TaskUpdate& update);

 private:
  class LinePeer;

  void on_message(std::string_view text, std::uint64_t cause) override;
  void on_whole_message(std::string text, std::uint64_t cause) override;
  void on_closed(const std::string& why) override;

  // Null: no context arrived with the message.
  using Context = std::unique_ptr<const trace::OwnedContext>;
  Task<void> serve(std::unique_ptr<const mcp::OwnMessage> message, Context beside);
  Task<void> serve_batch(std::string text);
  Task<std::string> answer_batch(std::string_view text);
  Task<void> answer_into(std::string_view text, std::string& out);
  // The reply to one message of `size` bytes; none if it needs none.
  Task<std::optional<mcp::Reply>> answer(const mcp::Message& message, std::size_t size,
                                         const trace::OwnedContext* beside);
  Result<void> send_answer(std::string_view id, const mcp::Reply& reply);
  Result<void> send(std::string response);
  Task<void> wait_for_room();
  Task<mcp::Reply> run_call(const mcp::Message& message, mcp::Revision revision, std::size_t size,
                            const trace::OwnedContext* beside);
  Task<mcp::Reply> listen(const mcp::Message& message);
  void notified(const mcp::Message& message);

  gateway::McpServer& server_;
  transport::Channel& channel_;
  AnswerSink* const answers_;
  gateway::CallOrigin caller_;
  gateway::OpenClients::Entry listed_;
  const std::string name_ = random_hex(8);  // Of the session.
  const std::string digest_ = gateway::session_digest(name_);
  gateway::InFlight in_flight_;
  Scope calls_;
  OneShot<void> ended_;
  mcp::Revision revision_ = mcp::kUnnamed;  // Of the session, once initialized.
  bool has_session_ = false;
  std::string capabilities_ = "{}";  // Of the client in its session, raw.
  std::string client_info_;          // The same, in the form of the log.
  std::optional<int>
      log_level_;  // The least important messages that it receives, once it has set a level.
  gateway::Questions questions_{0};
  Subscriber subscriber_;
  gateway::FollowedTasks tasks_;  // Tasks of its session.
  std::set<Listening*> listenings_;
  Context beside_;           // Of the message that is being handled.
  Stop listening_ends_;      // Delivered when the client has ended its side.
  std::size_t waiting_ = 0;  // Requests that wait for the client to read its answers.
};

}  // namespace patchbay::frontends
