// The frontend for MCP over HTTP+SSE, the transport of 2024-11-05: a GET opens a stream that
// carries everything to the client and names the address to which the client posts its messages.
// The session ends with the stream.
//
// One per worker; confined to it. The workers share the Shared object.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontends/mcp/conversation.h"
#include "frontends/node_forwarding.h"
#include "net/http/server/server.h"

namespace patchbay::frontends {

class McpSse {
 public:
  struct Shared {
    std::vector<McpSse*> workers;
    std::vector<Executor*> executors;
    std::atomic<std::int64_t> sessions = 0;  // Open now.
  };

  // `number` is this worker's index in the shared lists. REQUIRES: server and shared outlive this.
  McpSse(int number, gateway::McpServer& server, Shared& shared, NodeForwarding nodes,
         std::chrono::nanoseconds keep_alive);

  net::HttpHandler& stream() { return stream_; }    // GET /sse
  net::HttpHandler& message() { return message_; }  // POST /message

  void set_keep_alive(std::chrono::nanoseconds time) { keep_alive_ = time; }
  void notify_changed(gateway::CatalogChanges& update);
  void notify_updated(gateway::ResourceUpdate& update);
  void notify_task(const std::string& upstream, const gateway::TaskUpdate& update);

 private:
  class Client;

  class Stream final : public net::HttpHandler {
   public:
    explicit Stream(McpSse& frontend) : frontend_(frontend) {}
    Task<void> handle(net::HttpExchange& exchange) override { return frontend_.open(exchange); }

   private:
    McpSse& frontend_;
  };
  class Message final : public net::HttpHandler {
   public:
    explicit Message(McpSse& frontend) : frontend_(frontend) {}
    Task<void> handle(net::HttpExchange& exchange) override { return frontend_.post(exchange); }

   private:
    McpSse& frontend_;
  };

  Task<void> open(net::HttpExchange& exchange);
  Task<void> post(net::HttpExchange& exchange);
  // Hands a message to the client's conversation; false if there is no such client of `who` here.
  bool deliver(const std::string& id, net::HttpExchange& exchange);

  const int number_;
  gateway::McpServer& server_;
  Shared& shared_;
  NodeForwarding nodes_;
  std::chrono::nanoseconds keep_alive_;
  Stream stream_{*this};
  Message message_{*this};
  std::unordered_map<std::string, Client*> clients_;
};

}  // namespace patchbay::frontends
