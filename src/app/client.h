// A Client reaches one MCP server for a command: by URL, as a program, or the local gateway.
//
// Confined to the thread of its loop.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/task.h"
#include "gateway/upstream.h"
#include "net/child.h"
#include "net/loop.h"
#include "observe/metrics.h"
#include "transport/http_channel.h"
#include "transport/line_channel.h"
#include "upstreams/mcp_link.h"

namespace patchbay::app {

// What to reach: `http://…`, or `stdio: command args…`.
bool is_target(std::string_view word);

// The gateway on this machine: PATCHBAY_URL, or the default address.
std::string default_target();

class Client final : upstreams::McpLink::Events {
 public:
  explicit Client(std::string target) : target_(std::move(target)) {}

  // Connects and shakes hands.
  Task<void> open(Deadline deadline);
  upstreams::McpLink& link() { return *link_; }

  // Lets go of the server.
  Task<void> close();

 private:
  void on_items_changed() override {}
  void on_updated(const std::string&) override {}
  void on_link_closed(const std::string&) override {}
  Result<void> spawn(std::string_view command);

  const std::string target_;
  metrics::Registry registry_;
  upstreams::LinkCounters counters_{registry_, "target"};
  std::unique_ptr<net::Child> child_;
  std::unique_ptr<transport::LineChannel> lines_;
  std::unique_ptr<transport::HttpChannel> http_;
  std::unique_ptr<upstreams::McpLink> link_;
};

}  // namespace patchbay::app
