// The frontend for MCP on stdin and stdout: one conversation over lines.
//
// Confined to the worker to which it is attached.
#pragma once

#include "core/discard.h"
#include "frontends/frontend.h"
#include "frontends/mcp/conversation.h"
#include "transport/line_channel.h"

namespace patchbay::frontends {

class McpStdio final : public Frontend {
 public:
  // REQUIRES: `server` outlives this.
  McpStdio(gateway::McpServer& server, net::Fd in, net::Fd out, const transport::LineLimits& limits)
      : channel_(std::move(in), std::move(out), limits),
        conversation_(server, channel_, {"mcp-stdio", local_caller()}) {}

  void catalog_changed(gateway::CatalogChanges& changes) override {
    conversation_.notify_changed(changes);
  }
  void resource_updated(gateway::ResourceUpdate& update) override {
    conversation_.notify_updated(update);
  }
  void task_changed(const std::string& upstream, const gateway::TaskUpdate& update) override {
    conversation_.notify_task(upstream, update);
  }

  // Ends the conversation as if the client had ended its side.
  void end() { conversation_.end(); }

  // Serves until the client ends its side and all answers have been sent.
  Task<void> run(std::chrono::nanoseconds grace) {
    auto ended = co_await conversation_.run(grace);
    discard(ended, "the output is flushed either way");
    auto flushed = co_await channel_.flushed(grace);
    channel_.close();
    co_return flushed;
  }

 private:
  transport::LineChannel channel_;
  Conversation conversation_;
};

}  // namespace patchbay::frontends
