// The front end for MCP over Streamable HTTP: one URL for every revision. Requests with a session
// and requests that carry their own envelope are both served; the message decides which it is.
//
// One per worker; confined to it. Shared is what the workers have in common.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "async/scope.h"
#include "frontends/mcp/http_state.h"
#include "gateway/call/upstream.h"
#include "gateway/sessions.h"
#include "net/http/server/server.h"

namespace patchbay::frontends {

class Listening;

class McpHttp final : public net::HttpHandler {
 public:
  struct Shared {
    gateway::Sessions::Directory sessions;
    std::vector<McpHttp*> workers;
  };

  // `number` is this worker's index in the shared lists. REQUIRES: server and shared outlive this.
  McpHttp(int number, gateway::McpServer& server, Shared& shared, const McpHttpSettings& settings);

  Task<void> handle(net::HttpExchange& exchange) override;
  net::HttpRefusal refusal(const net::HttpRequest& request, int status,
                           std::string_view message) const override;

  void update(const McpHttpSettings& settings);

  // Notifies the clients of this worker's sessions that a list has changed.
  void notify_changed(gateway::CatalogChanges& update);

  // Notifies subscribers that a resource has changed.
  void notify_updated(gateway::ResourceUpdate& update);

  // Notifies those who follow a task of its state.
  void notify_task(const std::string& upstream, const gateway::TaskUpdate& update);

  // Waits for what is done on behalf of sessions that have ended.
  Task<void> stop();

  // Called about once a second: removes what has expired.
  void sweep();

  gateway::Sessions& sessions() { return sessions_; }

 private:
  using SessionPtr = std::shared_ptr<gateway::Session>;

  Task<void> post(net::HttpExchange& exchange);
  Task<void> post_message(net::HttpExchange& exchange, const mcp::Message& message);
  Task<void> post_stateless(net::HttpExchange& exchange, const mcp::Message& message,
                            mcp::Revision revision);
  Task<void> post_initialize(net::HttpExchange& exchange, const mcp::Message& message);
  Task<void> post_session(net::HttpExchange& exchange, const mcp::Message& message);
  Task<void> post_batch(net::HttpExchange& exchange);
  Task<void> answer_one(std::string_view text, SessionPtr session, std::string_view from,
                        std::string& out);
  Task<void> run_call(net::HttpExchange& exchange, const mcp::Message& message,
                      const mcp::Method& method, mcp::Revision revision, SessionPtr session);
  Task<void> get(net::HttpExchange& exchange);
  Task<void> listen(net::HttpExchange& exchange, const mcp::Message& message);
  Task<void> attach(std::shared_ptr<gateway::EventSink> sink, SessionPtr session,
                    std::string last_event);
  Task<void> attach_here(std::shared_ptr<gateway::EventSink> sink, SessionPtr session,
                         std::uint64_t stream, std::uint64_t after);
  Task<void> end_session(net::HttpExchange& exchange);
  Task<SessionPtr> session_of(net::HttpExchange& exchange);
  void notified(const mcp::Message& message, const gateway::Session* session);
  void answered(const mcp::Message& message, SessionPtr session);
  Task<void> send_shutdown(SessionPtr session);

  const int number_;
  Shared& shared_;
  McpHttpState state_;
  gateway::Sessions sessions_;
  std::set<Listening*> listenings_;
  Scope shutdowns_;
};

// Answers with a JSON-RPC error around which the HTTP status says the same.
Task<void> answer_error(net::HttpExchange& exchange, int status, std::string_view id, Error error);

// The same for a request whose session is missing (400) or unknown (404).
Task<void> refuse_session(net::HttpExchange& exchange, std::string_view id, Error error);

}  // namespace patchbay::frontends
