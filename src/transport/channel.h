// A Channel carries whole JSON-RPC messages both ways over something. Both sides of the gateway use
// it: a child's pipes, our own stdin and stdout, a remote server.
//
// Confined to one worker.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "mcp/revision.h"

namespace patchbay::transport {

// What a transport that makes a request of its own for each message (HTTP) must know about one. The
// others look at the text only.
struct Sending {
  std::uint64_t id = 0;  // Of a request of ours; 0 for anything else.
  std::string_view method = {};
  std::string_view name = {};                  // Of the item that the request is about.
  std::string_view fields = {};                // Further header lines, each with its CRLF.
  std::optional<mcp::Revision> revision = {};  // That the message is in; none for a handshake.
};

class Channel {
 public:
  // Whoever speaks over the channel. Must not destroy the channel from inside a call; close() is
  // fine.
  class Listener {
   public:
    // One message; the text is valid during the call only. `cause` is the request of ours in whose
    // answer it came; 0 if the transport cannot tell.
    virtual void on_message(std::string_view message, std::uint64_t cause) = 0;
    // The same for a message with memory of its own, which may be kept.
    virtual void on_whole_message(std::string message, std::uint64_t cause) {
      on_message(message, cause);
    }
    // Whether request `id` of ours still waits for its answer.
    virtual bool awaits(std::uint64_t /*id*/) const { return false; }
    // The request `id` of ours will get no answer.
    virtual void on_lost(std::uint64_t /*id*/, const Error& /*why*/) {}
    // The peer does not know our session any more; a new handshake over this channel mends it.
    virtual void on_forgotten() {}
    // The peer has ended its side, or has broken the rules. Told once; no message follows. Sending
    // may still work.
    virtual void on_closed(const std::string& why) = 0;

   protected:
    ~Listener() = default;
  };

  virtual ~Channel() = default;

  // Begins to receive. REQUIRES: called once; the listener outlives the channel.
  virtual void start(Listener& listener) = 0;

  // Queues a message. Code::overloaded if the peer does not keep up, Code::unavailable if it has
  // gone.
  virtual Result<void> send(std::string message, const Sending& how) = 0;
  Result<void> send(std::string message) { return send(std::move(message), {}); }

  // Nobody waits for the answer to request `id` any more. True if the transport makes the peer know
  // that by itself.
  virtual bool abandon(std::uint64_t /*id*/) { return false; }

  // The handshake has settled on a revision.
  virtual void agreed(mcp::Revision /*revision*/) {}

  // Ends the sending side; what the peer has not taken by now is lost. It may go on sending.
  virtual void close_sending() = 0;

  // Ends both sides at once. on_closed() is not told.
  virtual void close() = 0;
};

}  // namespace patchbay::transport
