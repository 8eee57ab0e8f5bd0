// Accepting takes connections off listening sockets and hands them on; when descriptors run out it
// turns clients away at once instead of leaving them in the queue. Handshakes lets a bounded number
// of TLS handshakes run.
//
// Confined to one worker.
#pragma once

#include <functional>
#include <list>
#include <memory>

#include "async/scope.h"
#include "net/io/peer_address.h"
#include "net/io/source.h"
#include "observe/metrics.h"

namespace patchbay::net {

class Accepting {
 public:
  using Admit = std::function<void(Fd fd, const PeerAddress& from, bool secure)>;

  // `refused` counts those for whom there was no descriptor. Said once, before anything else.
  Accepting(std::shared_ptr<metrics::Counter> refused, Admit admit);

  // Takes a listening socket. `secure` is handed on with its connections.
  void start(Fd listener, bool secure);

  // From now on, nobody is accepted; stop() then waits until the sockets are closed.
  void close() { scope_.cancel(); }
  Task<void> stop();

 private:
  Task<void> accept(Source& listener, bool secure);

  const std::shared_ptr<metrics::Counter> refused_;
  const Admit admit_;
  std::list<Source> listeners_;
  Fd reserve_;  // Given up for a moment when descriptors run out, to refuse politely.
  Scope scope_;
};

// A client that stalls costs a place, not the service: when places run out, the handshake that has
// taken longest is cut off.
class Handshakes {
 public:
  // Runs one; ends early when `quiet` is requested.
  Task<void> run(Task<void> shaking, std::size_t most, Stop& idle);

 private:
  std::list<Stop*> running_;  // The one that has taken longest is first.
};

}  // namespace patchbay::net
