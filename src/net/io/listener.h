// Accepting takes connections from listening sockets and hands them on. When descriptors run out it
// refuses clients at once instead of leaving them in the queue. Handshakes lets a bounded number of
// TLS handshakes run.
//
// Confined to one worker.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <memory>

#include "async/scope.h"
#include "net/io/peer_address.h"
#include "net/io/source.h"
#include "observe/metrics.h"

namespace patchbay::net {

// After running out of descriptors, before the next attempt to accept.
inline constexpr auto kAcceptPause = std::chrono::milliseconds(100);

class Accepting {
 public:
  using Admit = std::function<void(Fd fd, const PeerAddress& from, bool secure)>;

  // `refused` counts connections for which there was no descriptor. Called once, before anything
  // else.
  Accepting(std::shared_ptr<metrics::Counter> refused, Admit admit);

  // Takes a listening socket. `secure` is handed on with its connections.
  void start(Fd listener, bool secure);

  // Accepts no more connections; stop() then waits until the sockets are closed.
  void close() { scope_.cancel(); }
  Task<void> stop();

 private:
  Task<void> accept(Source& listener, bool secure);

  const std::shared_ptr<metrics::Counter> refused_;
  const Admit admit_;
  std::list<Source> listeners_;
  Fd reserve_;  // Closed for a moment when descriptors run out, to refuse a client.
  Scope scope_;
};

// A stalled client costs one slot, not the service: when the slots run out, the oldest handshake is
// aborted.
class Handshakes {
 public:
  // Runs one; ends early when `idle` is requested.
  Task<void> run(Task<void> shaking, std::size_t most, Stop& idle);

 private:
  std::list<Stop*> running_;  // The oldest first.
};

}  // namespace patchbay::net
