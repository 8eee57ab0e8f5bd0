// The front end for MCP on stdin and stdout: one conversation over lines.
//
// Confined to one worker.
#pragma once

#include "frontends/mcp/conversation.h"
#include "transport/line_channel.h"

namespace patchbay::frontends {

class McpStdio {
 public:
  // REQUIRES: `server` outlives this.
  McpStdio(gateway::McpServer& server, net::Fd in, net::Fd out, const transport::LineLimits& limits)
      : channel_(std::move(in), std::move(out), limits),
        conversation_(server, channel_, {"mcp-stdio", local_caller()}) {}

  Conversation& conversation() { return conversation_; }

  // Serves until the client ends its side, and until all answers have left.
  Task<void> run(std::chrono::nanoseconds grace) {
    auto ended = co_await conversation_.run(grace);
    auto flushed = co_await channel_.flushed(grace);
    channel_.close();
    co_return flushed;
  }

 private:
  transport::LineChannel channel_;
  Conversation conversation_;
};

}  // namespace patchbay::frontends
