// Addresses and sockets: parse "host:port", listen, connect. Blocking only in resolve(), which is
// for numeric and local names.
#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>

#include "core/task.h"
#include "core/timers.h"
#include "net/fd.h"

namespace patchbay::net {

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;

  // "127.0.0.1:8080" or "[::1]:8080".
  std::string text() const;
  int port() const;
  bool loopback() const;
};

// A numeric address or "localhost" with a port: "127.0.0.1:8080", "[::1]:0", "localhost:80".
Result<Address> parse_address(std::string_view text);

// Looks a host name up. May block for as long as the resolver takes: for commands, not workers.
Result<Address> resolve(const std::string& host, int port);

// A listening socket. With `shared`, other sockets of this process may listen on the same address
// and the kernel spreads connections over them.
Result<Fd> listen_on(const Address& address, bool shared);
Result<Address> local_address(int fd);

// Connects within the deadline, on the loop of this thread.
Task<Fd> connect_to(Address address, Deadline deadline);

// Answers are whole messages: send them at once.
void set_no_delay(int fd);

// Notices within about a minute that the peer's machine has vanished.
void notice_dead_peer(int fd);

}  // namespace patchbay::net
