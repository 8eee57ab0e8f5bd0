// Sockets: listen and connect. Nothing here blocks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "async/task.h"
#include "async/timers.h"
#include "net/io/address.h"
#include "net/io/fd.h"

namespace patchbay::net {

// A listening socket. With `shared`, other sockets of this process may listen on the same address
// and the kernel spreads connections over them.
Result<Fd> listen_on(const Address& address, bool shared);
Result<Address> local_address(int fd);

// Connects within the deadline, on the loop of this thread. Of several addresses, each gets its
// share of the time, in turn; the error is that of the last. REQUIRES: there is one.
Task<Fd> connect_to(Address address, Deadline deadline);
Task<Fd> connect_to(std::vector<Address> addresses, Deadline deadline);

// Resolves the host and connects to one of its addresses that `rule` allows.
Task<Fd> connect_tcp(std::string host, int port, Deadline deadline, AddressRule rule = {});

// Connects to a socket of this machine, which needs no waiting.
Result<Fd> connect_unix(const std::string& path);

// Answers are whole messages: send them at once.
void set_no_delay(int fd);

// Lets the kernel accept little more than it can send. With megabytes in its buffer, a peer that
// reads slowly but steadily makes room only after minutes, and looks like one that does not read.
void set_small_send_queue(int fd);

// Sends as much as fits, to a client that is refused: nothing waits for it.
void send_at_once(int fd, std::string_view bytes);

// Notices within about a minute that the peer's machine has vanished.
void notice_dead_peer(int fd);

}  // namespace patchbay::net
