// Reaches a server by running it: a program that speaks on its stdin and stdout.
//
// Confined to one worker: the program dies with its thread.
#pragma once

#include <memory>
#include <string>

#include "net/child.h"
#include "upstreams/allowed_commands.h"
#include "upstreams/connector.h"
#include "upstreams/stdio_settings.h"

namespace patchbay::upstreams {

class ChildConnector final : public Connector {
 public:
  // Without `allowed` any program may be run.
  ChildConnector(std::string upstream, const StdioSettings& settings,
                 std::shared_ptr<const AllowedCommands> allowed = {})
      : upstream_(std::move(upstream)), settings_(settings), allowed_(std::move(allowed)) {}

  Task<std::unique_ptr<Connection>> connect(Deadline deadline) override;

 private:
  const std::string upstream_;
  const StdioSettings settings_;
  const std::shared_ptr<const AllowedCommands> allowed_;
};

// What is run for an upstream with these settings.
net::Program program_of(const StdioSettings& settings);

}  // namespace patchbay::upstreams
