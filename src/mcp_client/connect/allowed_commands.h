// The programs that upstreams may run. The file that would be executed decides, with all links
// followed: another name of an allowed program is allowed, another program with an allowed name is
// not.
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

  // Code::forbidden if the program is not one of them. Reads the disk each time, because a name may
  // lead to another file later.
  Result<void> check(const net::Program& program) const;

 private:
  const std::vector<std::string> commands_;
};

}  // namespace patchbay::upstreams
