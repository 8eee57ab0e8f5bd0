// Parsers of /etc/passwd and /etc/group. Values only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::osquery {

struct Account {
  std::string name;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::string description;
  std::string owner;
  std::string shell;
};

struct Group {
  std::string name;
  std::uint32_t gid = 0;
  std::vector<std::string> members;
};

// Malformed lines are left out.
std::vector<Account> parse_passwd(std::string_view text);
std::vector<Group> parse_group(std::string_view text);

}  // namespace patchbay::osquery
