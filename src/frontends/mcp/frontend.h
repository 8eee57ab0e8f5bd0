// The frontend for MCP: Streamable HTTP at /mcp, and HTTP+SSE at /sse and /message.
//
// See frontends/frontend.h for threads.
#pragma once

#include "frontends/frontend.h"
#include "frontends/mcp/http.h"
#include "frontends/mcp/sse.h"

namespace patchbay::frontends {

struct McpFrontendSettings {
  McpHttpSettings http;
  std::size_t max_sessions = 20'000;
  std::chrono::nanoseconds session_idle = std::chrono::minutes(30);
  std::chrono::milliseconds max_session_age = std::chrono::hours(24);
};

class SharedMcpFrontend final : public SharedFrontend {
 public:
  SharedMcpFrontend(const McpFrontendSettings& settings, const ProcessServices& services);

  void update(const McpFrontendSettings& settings);
  std::unique_ptr<Frontend> make(const WorkerServices& worker) override;
  std::vector<Entrance> entrances() const override;

  const McpHttpSettings& http_settings() const { return settings_.http; }

 private:
  McpFrontendSettings settings_;
  McpHttp::Shared http_;
  McpSse::Shared sse_;
};

}  // namespace patchbay::frontends
