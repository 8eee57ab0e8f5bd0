// A Channel carries whole JSON-RPC messages in both directions over one connection. Both sides of
// the gateway use it: a child's pipes, our own stdin and stdout, a remote server.
//
// Confined to one worker.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "async/task.h"
#include "core/result.h"
#include "mcp/revision.h"
#include "trace/call_trace.h"

namespace patchbay::transport {

// The facts about a message that a transport needs if it sends an HTTP request for each message.
// Other transports use only the text.
struct Sending {
  std::uint64_t id = 0;  // Of a request of ours; 0 for anything else.
  std::string_view method = {};
  std::string_view name = {};                   // Of the item that the request is about.
  std::string_view fields = {};                 // Further header lines, each with its CRLF.
  const trace::SentContext* context = nullptr;  // The trace context that the peer continues.
  std::optional<mcp::Revision> revision = {};   // Of the message; none for a handshake.
  // The peer has requested it: a channel to a client queues it even if the peer is slow.
  bool is_answer = false;
};

struct ServerAddress {
  std::string host;
  int port = 0;
};

class Channel {
 public:
  // The user of the channel. Must not destroy the channel from inside a call; close() is fine.
  class Listener {
   public:
    // One message; the text is valid during the call only. `cause` is the request of ours whose
    // response contained it; 0 if the transport does not know.
    virtual void on_message(std::string_view message, std::uint64_t cause) = 0;
    // The same for a message with its own memory, which may be stored.
    virtual void on_whole_message(std::string message, std::uint64_t cause) {
      on_message(message, cause);
    }
    // Whether request `id` of ours still waits for its answer.
    virtual bool awaits(std::uint64_t /*id*/) const { return false; }
    // The request `id` of ours will get no answer.
    virtual void on_lost(std::uint64_t /*id*/, const Error& /*why*/) {}
    // The peer has dropped our session; a new handshake over this channel is needed.
    virtual void on_forgotten() {}
    // The peer has ended its side, or has broken the protocol. Called once; no message follows.
    // Sending may still work.
    virtual void on_closed(const std::string& why) = 0;

   protected:
    ~Listener() = default;
  };

  virtual ~Channel() = default;

  // Begins to receive. REQUIRES: called once; the listener outlives the channel.
  virtual void start(Listener& listener) = 0;

  // Queues a message. Code::overloaded if the peer does not keep up, Code::unavailable if it has
  // disconnected.
  virtual Result<void> send(std::string message, const Sending& how) = 0;
  Result<void> send(std::string message) { return send(std::move(message), {}); }

  // More is queued than a slow peer may cost. The user should begin nothing more for the peer
  // before room(), which waits until the queue is short enough.
  virtual bool full() const { return false; }
  virtual Task<void> room() { co_return ok(); }

  // Nothing waits for the response to request `id` any more. True if the transport itself notifies
  // the peer of that.
  virtual bool abandon(std::uint64_t /*id*/) { return false; }

  // The server that the channel leads to, for traces. No host: not known, or none of a network.
  void set_server(std::string host, int port) { server_ = {std::move(host), port}; }
  const ServerAddress& server() const { return server_; }

  // The handshake has negotiated a revision.
  virtual void agreed(mcp::Revision /*revision*/) {}

  // Ends the sending side; data that the peer has not read by now is lost. It may continue to send.
  virtual void close_sending() = 0;

  // Ends both sides at once, without on_closed().
  virtual void close() = 0;

 private:
  ServerAddress server_;
};

}  // namespace patchbay::transport
