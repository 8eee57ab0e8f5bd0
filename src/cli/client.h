// A Client reaches one MCP server for a command: by URL, as a program, or the local gateway.
//
// Confined to the thread of its loop.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/task.h"
#include "gateway/call/upstream.h"
#include "mcp_client/connect/connector.h"
#include "mcp_client/connect/http_settings.h"
#include "mcp_client/link.h"
#include "net/io/loop.h"
#include "observe/metrics.h"

namespace patchbay::app {

// What to reach: `http://…`, `https://…`, `ws(s)://…`, `tcp://…` and `tcps://…` (frames of the wire
// protocol), or `stdio: command args…`, also written `stdio://command args…`.
bool is_target(std::string_view text);

// The gateway on this machine: PATCHBAY_URL, or the default address.
std::string default_target();

// The value of PATCHBAY_TOKEN; empty: none.
std::string default_token();

class Client final : upstreams::McpLink::Events {
 public:
  // `token` is sent to targets over HTTP and TCP; empty: none is.
  Client(std::string target, upstreams::TlsSettings tls, std::string token)
      : target_(std::move(target)), tls_(std::move(tls)), token_(std::move(token)) {}

  // Connects and does the handshake.
  Task<void> open(Deadline deadline);
  upstreams::McpLink& link() { return *link_; }

  // Closes the connection.
  Task<void> close();

 private:
  void on_items_changed() override {}
  void on_updated(const std::string&) override {}
  void on_task(const gateway::TaskUpdate&) override {}
  void on_forgotten() override {}
  void on_link_closed(const std::string&) override {}
  Result<std::unique_ptr<upstreams::Connector>> make_connector() const;

  const std::string target_;
  const upstreams::TlsSettings tls_;
  const std::string token_;
  metrics::Registry registry_;
  upstreams::LinkCounters counters_{registry_, "target"};
  std::unique_ptr<upstreams::Connection> connection_;
  std::optional<upstreams::McpLink> link_;
};

}  // namespace patchbay::app
