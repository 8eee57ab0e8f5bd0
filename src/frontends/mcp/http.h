// The frontend for MCP over Streamable HTTP: one URL for every revision. It serves requests of
// sessions and requests that carry their own envelope; the message decides which form it has.
//
// One per worker; confined to it. The workers share the Shared object.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "async/scope.h"
#include "frontends/mcp/http_state.h"
#include "frontends/node_forwarding.h"
#include "gateway/call/upstream.h"
#include "gateway/sessions.h"
#include "net/http/server/server.h"

namespace patchbay::frontends {

class Listening;

inline constexpr std::string_view kSessionHeader = "Mcp-Session-Id";
inline constexpr std::string_view kVersionHeader = "MCP-Protocol-Version";

gateway::SessionVisitor session_visitor(const net::HttpExchange& exchange);

class McpHttp final : public net::HttpHandler {
 public:
  struct Shared {
    Shared(const policy::Keyring& keys, store::Store& store, const cluster::Members& members)
        : sessions(keys, store, members) {}
    gateway::Sessions::Directory sessions;
    std::vector<McpHttp*> workers;
  };

  // `number` is this worker's index in the shared lists. REQUIRES: all outlive this.
  McpHttp(int number, gateway::McpServer& server, Shared& shared, cluster::Forwarder& forwarder,
          const McpHttpSettings& settings);

  Task<void> handle(net::HttpExchange& exchange) override;
  net::HttpRefusal refusal(const net::HttpRequest& request, int status,
                           std::string_view message) const override;

  void update(const McpHttpSettings& settings);

  // Notifies the clients of this worker's sessions that a list has changed.
  void notify_changed(gateway::CatalogChanges& update);

  // Notifies subscribers that a resource has changed.
  void notify_updated(gateway::ResourceUpdate& update);

  // Notifies the clients that follow a task of its state.
  void notify_task(const std::string& upstream, const gateway::TaskUpdate& update);

  // Another process accepts connections from now on.
  void hand_over() { sessions_.hand_over(); }

  // Waits for the cleanup of sessions that have ended.
  Task<void> stop();

  // Called about once a second to remove expired state.
  void sweep();

  gateway::Sessions& sessions() { return sessions_; }

 private:
  using SessionPtr = std::shared_ptr<gateway::Session>;

  // Where a client begins to read.
  struct StreamPosition {
    int worker = 0;
    std::uint64_t stream = 0;  // 0: the one of messages that belong to no request.
    std::uint64_t event = 0;   // The last one that it has.
  };

  Task<void> post(net::HttpExchange& exchange);
  Task<void> post_message(net::HttpExchange& exchange, const mcp::Message& message);
  Task<void> post_stateless(net::HttpExchange& exchange, const mcp::Message& message,
                            mcp::Revision revision);
  Task<void> post_initialize(net::HttpExchange& exchange, const mcp::Message& message);
  Task<void> post_session(net::HttpExchange& exchange, const mcp::Message& message);
  Task<void> post_batch(net::HttpExchange& exchange);
  Task<void> answer_one(std::string_view text, SessionPtr session, net::HttpExchange& exchange,
                        std::string& out);
  Task<void> run_call(net::HttpExchange& exchange, const mcp::Message& message,
                      const mcp::Method& method, mcp::Revision revision, SessionPtr session);
  Task<void> get(net::HttpExchange& exchange);
  Task<void> listen(net::HttpExchange& exchange, const mcp::Message& message);
  StreamPosition position_of(const gateway::Session& session, std::string_view last_event) const;
  Task<void> attach(std::shared_ptr<gateway::EventSink> sink, SessionPtr session,
                    StreamPosition from);
  Task<void> attach_here(std::shared_ptr<gateway::EventSink> sink, SessionPtr session,
                         std::uint64_t stream, std::uint64_t after);
  Task<void> detach(std::shared_ptr<gateway::EventSink> sink, StreamPosition from);
  Task<void> detach_here(std::shared_ptr<gateway::EventSink> sink, std::uint64_t stream);
  Task<void> end_session(net::HttpExchange& exchange);
  // Null: the node that has the session has answered.
  Task<SessionPtr> session_of(net::HttpExchange& exchange, Repeatable repeatable);
  Task<SessionPtr> find_session(net::HttpExchange& exchange, std::string id, Repeatable repeatable);
  void list_session(const SessionPtr& session, std::string from);
  void restored(SessionPtr session, std::string from, std::vector<std::string> uris);
  Task<void> subscribe_again(SessionPtr session, std::string from, std::vector<std::string> uris);
  Task<bool> subscribe_when_up(const gateway::Session& session, const std::string& from,
                               const std::string& uri);
  void notified(const mcp::Message& message, const gateway::Session* session);
  void answered(const mcp::Message& message, SessionPtr session);
  Task<void> send_shutdown(SessionPtr session);

  const int number_;
  Shared& shared_;
  McpHttpState state_;
  gateway::Sessions sessions_;
  NodeForwarding nodes_;
  std::set<Listening*> listenings_;
  Scope shutdowns_;
};

// Answers with a JSON-RPC error and the matching HTTP status.
Task<void> answer_error(net::HttpExchange& exchange, int status, std::string_view id, Error error);

// The same for a request whose session is missing (400) or unknown (404).
Task<void> refuse_session(net::HttpExchange& exchange, std::string_view id, Error error);

}  // namespace patchbay::frontends
