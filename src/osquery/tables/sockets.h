// The sockets of the machine, from /proc/net. Values only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::osquery {

struct Socket {
  std::uint64_t inode = 0;
  int family = 0;
  int protocol = 0;
  std::string local_address;
  std::string remote_address;
  int local_port = 0;
  int remote_port = 0;
  std::string_view state;  // Of TCP.
  std::string path;        // Of a UNIX socket.
  bool listens = false;
};

// Parses /proc/net/tcp, udp and similar files of `family`, which determines the length of
// addresses.
std::vector<Socket> parse_inet_sockets(std::string_view text, int family, int protocol);

// /proc/net/unix.
std::vector<Socket> parse_unix_sockets(std::string_view text);

// The inode in a link such as `socket:[123]` of that kind; 0 if it is another link.
std::uint64_t linked_inode(std::string_view link, std::string_view kind);

}  // namespace patchbay::osquery
