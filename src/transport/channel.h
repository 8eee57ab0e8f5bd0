// A Channel carries whole JSON-RPC messages both ways over something. Both sides of the gateway use
// it: a child's pipes, our own stdin and stdout, a remote server.
//
// Confined to one worker.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::transport {

class Channel {
 public:
  // Whoever speaks over the channel. Must not destroy the channel from inside a call; close() is
  // fine.
  class Listener {
   public:
    // One message; the text is valid during the call only.
    virtual void on_message(std::string_view message) = 0;
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
  virtual Result<void> send(std::string_view message) = 0;

  // Ends the sending side; what the peer has not taken by now is lost. It may go on sending.
  virtual void close_sending() = 0;

  // Ends both sides at once. on_closed() is not told.
  virtual void close() = 0;
};

}  // namespace patchbay::transport
