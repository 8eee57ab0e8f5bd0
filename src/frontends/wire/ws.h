// The frontend for WebSockets, at the path of MCP. Each text is an envelope of the wire protocol
// or, if the first one is, a plain MCP message; a client uses one form throughout. The caller is
// authenticated before the connection becomes a WebSocket.
//
// One per worker; confined to it.
#pragma once

#include <chrono>
#include <set>
#include <string>

#include "frontends/wire/host.h"
#include "net/http/server/server.h"

namespace patchbay::frontends {

class WireWs final : public net::HttpHandler {
 public:
  // `write_time` is how long a client may read nothing while data waits for it. REQUIRES: `host`
  // outlives this.
  WireWs(WireHost& host, std::chrono::nanoseconds write_time)
      : host_(host), write_time_(write_time) {}

  void set_write_time(std::chrono::nanoseconds write_time) { write_time_ = write_time; }

  Task<void> handle(net::HttpExchange& exchange) override;

  // Notifies the clients that speak plain MCP; the host notifies the others.
  void notify_changed(gateway::CatalogChanges& update);
  void notify_updated(gateway::ResourceUpdate& update);
  void notify_task(const std::string& upstream, const gateway::TaskUpdate& update);

 private:
  class Client;

  template <class Notify>
  void each_plain(Notify notify);

  WireHost& host_;
  std::chrono::nanoseconds write_time_;
  std::set<Client*> plain_;  // Those that speak plain MCP.
};

}  // namespace patchbay::frontends
