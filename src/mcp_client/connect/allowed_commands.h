// The programs that upstreams may be. What counts is the file that would be run, without links:
// another name for an allowed program is allowed, another program of an allowed name is not.
//
// Never changed once made; threads may share it.
#pragma once

#include <string>
#include <vector>

#include "net/process/child.h"

namespace patchbay::upstreams {

class AllowedCommands {
 public:
  explicit AllowedCommands(std::vector<std::string> commands) : commands_(std::move(commands)) {}

  // Code::forbidden if the program is not one of them. Looks at the disk each time: what a name
  // leads to can change.
  Result<void> check(const net::Program& program) const;

 private:
  const std::vector<std::string> commands_;
};

}  // namespace patchbay::upstreams
