// Reaches a server by running it: a program that speaks on its stdin and stdout.
//
// Confined to one worker: the program dies with its thread.
#pragma once

#include <memory>
#include <string>

#include "net/child.h"
#include "upstreams/connector.h"
#include "upstreams/stdio_settings.h"

namespace patchbay::upstreams {

class ChildConnector final : public Connector {
 public:
  ChildConnector(std::string upstream, const StdioSettings& settings)
      : upstream_(std::move(upstream)), settings_(settings) {}

  Task<std::unique_ptr<Connection>> connect(Deadline deadline) override;

 private:
  net::Program program() const;

  const std::string upstream_;
  const StdioSettings settings_;
};

}  // namespace patchbay::upstreams
