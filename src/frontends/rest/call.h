// A RestCall is one call that arrived by REST, while it runs. A client that requests an event
// stream gets progress, log messages and partial results before the result; other clients get only
// the result. When the client disconnects, the call is cancelled.
//
// Confined to the worker of its connection; owned by the task that serves the request.
#pragma once

#include <chrono>
#include <string_view>

#include "async/timers.h"
#include "frontends/rest/answer.h"
#include "gateway/server.h"
#include "net/http/server/exchange.h"

namespace patchbay::frontends {

struct RestStreaming {
  std::chrono::nanoseconds after;       // When a stream begins if nothing was sent before...
  std::chrono::nanoseconds keep_alive;  // ...and how often it then sends a comment.
};

class RestCall final : gateway::Peer, net::Source::Hangup, Timer {
 public:
  // REQUIRES: everything referred to outlives the call.
  // `fields` are header lines of every answer. Without `streaming` there is no stream.
  RestCall(gateway::McpServer& server, net::HttpExchange& exchange, const mcp::Message& request,
           std::string fields, const RestStreaming* streaming);
  ~RestCall() override;

  // The reply; an error is one too.
  Task<mcp::Reply> run();

  // Answers the exchange: with the plain answer, or with the end of the stream.
  Task<void> finish(RestAnswer answer);

 private:
  void notify(std::string_view method, std::string_view params) override;
  void ask(std::string_view method, std::string_view params, gateway::Answer answer) override;
  void on_hangup() override { stop_.request(); }
  void on_deadline() override;
  void begin_stream();
  void send_event(std::string_view event, std::string_view data);

  gateway::McpServer& server_;
  net::HttpExchange& exchange_;
  std::string fields_;
  const RestStreaming* const streaming_;
  gateway::Call call_;
  Stop stop_;
};

// Answers an exchange that is not a stream.
Task<void> send_answer(net::HttpExchange& exchange, const RestAnswer& answer);

}  // namespace patchbay::frontends
