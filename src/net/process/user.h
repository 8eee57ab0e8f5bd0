// A User is who a program runs as.
//
// find_user() reads the user database, which may take its time: call it where blocking is fine.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/result.h"

namespace patchbay::net {

struct User {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;  // All of them.
  // As the database has it; empty for a number that it does not know.
  std::string name;
  std::string owner;
  std::string shell;
};

// A user by name or number, with `:GROUP` behind it another group than its own. Code::unavailable,
// with what to do about it, if there is no such user or we may not become it.
Result<User> find_user(const std::string& text);

}  // namespace patchbay::net
