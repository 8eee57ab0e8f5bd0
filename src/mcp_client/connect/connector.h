// How a server is reached: a Connector makes Connections, one after the other, to the same server.
// There is one file per kind of upstream; all other code about MCP servers is common to all kinds.
//
// Confined to the worker of the instance that owns it.
#pragma once

#include <memory>
#include <string>

#include "async/one_shot.h"
#include "async/task.h"
#include "async/timers.h"
#include "transport/channel.h"

namespace patchbay::upstreams {

// A connection to a server, as long as it lasts.
class Connection {
 public:
  virtual ~Connection() = default;

  virtual transport::Channel& channel() = 0;

  // The server is running, but does not use the protocol of this connection.
  virtual bool misunderstood() const { return false; }

  // When the server last showed activity other than a message.
  virtual Deadline last_output() const { return {}; }

  // The reason why it was lost, if more is known than the channel's reason `why`.
  virtual Task<std::string> reason(std::string why) { co_return why; }

  // From now on messages carry another token, if messages carry one.
  virtual void use_token(const std::string& /*token*/) {}

  // Releases the server; with `orderly`, it gets time to end by itself. Called once.
  virtual Task<void> end(bool orderly) = 0;
};

class Connector {
 public:
  virtual ~Connector() = default;

  virtual Task<std::unique_ptr<Connection>> connect(Deadline deadline) = 0;

  // Its connections have a last_output(), which shows the progress of a slow start.
  virtual bool shows_progress() const { return false; }

  // The server did not understand the last connection. True if connect() will try another transport
  // next.
  virtual bool try_next_candidate() { return false; }

  // There is a new reason to connect since the last attempt.
  virtual bool has_changed() const { return false; }
  // Waits before the next attempt: until `time`, or until there is such a reason.
  virtual Task<void> rest(Deadline time) { return sleep_until(time); }
};

}  // namespace patchbay::upstreams
