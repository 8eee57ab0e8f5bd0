// A User is the account that a program runs as.
//
// find_user() reads the user database, which may block.
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
  // From the database; empty for an unknown number.
  std::string name;
  std::string home_directory;
  std::string shell;
};

// A user by name or number, optionally with `:GROUP`. Code::unavailable, with the remedy, if there
// is no such user or we may not become it.
Result<User> find_user(const std::string& text);

}  // namespace patchbay::net
