// Reaches a server by running it: a program that communicates on its stdin and stdout.
//
// Confined to one worker: the program dies with its thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "mcp_client/connect/allowed_commands.h"
#include "mcp_client/connect/connector.h"
#include "mcp_client/connect/stdio_settings.h"
#include "net/process/child.h"
#include "net/process/stderr_log.h"

namespace patchbay::upstreams {

class ChildConnector final : public Connector {
 public:
  // Without `allowed` any program may be run. `user` is the result of looking up settings.user; if
  // it is an error, connecting fails with it.
  ChildConnector(std::string upstream, const StdioSettings& settings,
                 std::shared_ptr<const AllowedCommands> allowed = {},
                 Result<std::optional<net::User>> user = std::optional<net::User>())
      : upstream_(std::move(upstream)),
        settings_(settings),
        allowed_(std::move(allowed)),
        user_(std::move(user)) {}

  Task<std::unique_ptr<Connection>> connect(Deadline deadline) override;
  bool shows_progress() const override { return true; }

 private:
  const std::string upstream_;
  const StdioSettings settings_;
  const std::shared_ptr<const AllowedCommands> allowed_;
  const Result<std::optional<net::User>> user_;
};

// The user settings.user; empty: the user of this process. Reads the user database, so not on a
// worker.
Result<std::optional<net::User>> user_of(const StdioSettings& settings);

// `why`, with the last line that the program wrote to stderr, if there is one.
std::string with_last_line(std::string why, StderrLog& errors);

// The command for an upstream with these settings, as the user of this process.
net::Program program_of(const StdioSettings& settings);

}  // namespace patchbay::upstreams
