// The front end for MCP on stdin and stdout: one conversation over lines.
//
// Confined to one worker.
#pragma once

#include "frontends/conversation.h"
#include "transport/line_channel.h"
#include "transport/traced_channel.h"

namespace patchbay::frontends {

class McpStdio {
 public:
  // With `trace`, every message is logged. REQUIRES: `server` outlives this.
  McpStdio(gateway::McpServer& server, net::Fd in, net::Fd out, const transport::LineLimits& limits,
           bool trace)
      : channel_(std::move(in), std::move(out), limits),
        traced_(channel_),
        conversation_(server, trace ? static_cast<transport::Channel&>(traced_) : channel_,
                      "mcp-stdio") {}

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
  transport::TracedChannel traced_;
  Conversation conversation_;
};

}  // namespace patchbay::frontends
