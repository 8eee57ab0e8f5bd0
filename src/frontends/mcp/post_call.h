// A PostCall is one request that arrived by POST, while it runs. The response is plain JSON if the
// answer is the first message to send. If progress comes earlier, or the call takes long, it
// becomes an event stream, which a client with a session can resume when its connection breaks.
//
// Confined to the worker of its connection; owned by the task that serves the request.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "frontends/exchange_sink.h"
#include "frontends/mcp/http_state.h"
#include "gateway/sessions.h"
#include "net/http/server/exchange.h"

namespace patchbay::frontends {

class PostCall final : gateway::Peer, net::Source::Hangup, Timer {
 public:
  // REQUIRES: all outlive the call.
  PostCall(McpHttpState& state, net::HttpExchange& exchange, const mcp::Message& message,
           const mcp::Method& method, mcp::Revision revision,
           std::shared_ptr<gateway::Session> session);
  ~PostCall() override;

  Task<void> run();

 private:
  void notify(std::string_view method, std::string_view params) override;
  void withdraw_questions() override;
  void on_private_program() override;
  void ask(std::string_view method, std::string_view params, gateway::Answer answer) override;
  bool wants(std::string_view method, std::string_view params) const;
  void on_hangup() override;
  void on_deadline() override;
  void begin_stream();
  void send_message(std::string_view message);
  Task<void> finish(const mcp::Reply& reply);
  int status_of(const mcp::Reply& reply) const;

  McpHttpState& state_;
  net::HttpExchange& exchange_;
  const std::shared_ptr<gateway::Session> session_;
  gateway::Call call_;
  const mcp::FindHeader find_header_;
  std::string client_info_;  // For a client without a session.
  Stop stop_;
  std::shared_ptr<gateway::EventStream>
      stream_;  // Only for a session: other clients cannot resume.
  std::shared_ptr<ExchangeSink> sink_;
};

}  // namespace patchbay::frontends
