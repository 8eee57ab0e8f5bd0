// How a server is reached: a Connector makes Connections, one after the other, to the same server.
// One file per kind of upstream; everything else about MCP servers is the same for all.
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

// A server that has been reached, for as long as it lasts.
class Connection {
 public:
  virtual ~Connection() = default;

  virtual transport::Channel& channel() = 0;

  // The server is there, but does not speak in the way that this connection does.
  virtual bool misunderstood() const { return false; }

  // When the server last showed by anything but a message that it is doing something.
  virtual Deadline last_output() const { return {}; }

  // Why it was lost, if more is known than the channel's reason `why`.
  virtual Task<std::string> reason(std::string why) { co_return why; }

  // From now on messages carry another token, where messages do.
  virtual void use_token(const std::string& /*token*/) {}

  // Releases the server; with `orderly`, it gets the time to end by itself. Called once.
  virtual Task<void> end(bool orderly) = 0;
};

class Connector {
 public:
  virtual ~Connector() = default;

  virtual Task<std::unique_ptr<Connection>> connect(Deadline deadline) = 0;

  // Its connections have a last_output(), so that progress of a slow start can be seen.
  virtual bool shows_progress() const { return false; }

  // The last connection was misunderstood. True if connect() will try another way next.
  virtual bool try_next_candidate() { return false; }

  // Since the last attempt there is a reason to try again.
  virtual bool has_changed() const { return false; }
  // Waits before the next attempt: until `time`, or until there is such a reason.
  virtual Task<void> rest(Deadline time) { return sleep_until(time); }
};

}  // namespace patchbay::upstreams
