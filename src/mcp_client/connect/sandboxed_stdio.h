// Reaches a server by running it in a sandbox: it communicates on its stdin and stdout like any
// other program, and has access only to what its settings name.
//
// Confined to one worker: the program dies with its thread.
#pragma once

#include <memory>
#include <string>

#include "egress/proxy.h"
#include "mcp_client/connect/allowed_commands.h"
#include "mcp_client/connect/connector.h"
#include "mcp_client/connect/stdio_settings.h"
#include "sandbox/spec.h"

namespace patchbay::upstreams {

class ConfinedConnector final : public Connector {
 public:
  // REQUIRES: settings.sandbox is set. Without `allowed` any program may be run; without `counters`
  // its connections are not counted.
  ConfinedConnector(std::string upstream, const StdioSettings& settings,
                    std::shared_ptr<const AllowedCommands> allowed,
                    std::shared_ptr<const EgressCounters> counters)
      : upstream_(std::move(upstream)),
        settings_(settings),
        allowed_(std::move(allowed)),
        counters_(std::move(counters)) {}

  Task<std::unique_ptr<Connection>> connect(Deadline deadline) override;
  bool shows_progress() const override { return true; }

 private:
  const std::string upstream_;
  const StdioSettings settings_;
  const std::shared_ptr<const AllowedCommands> allowed_;
  const std::shared_ptr<const EgressCounters> counters_;
};

// The command for an upstream with these settings, and what it may access.
Result<sandbox::Spec> confined_spec(const StdioSettings& settings);

}  // namespace patchbay::upstreams
