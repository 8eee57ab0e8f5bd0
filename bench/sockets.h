// The few socket calls that the bench tools share. They know nothing of src/net: a baseline that
// used the code it is compared with would hide that code's cost.

#pragma once

#include <cstdint>

namespace patchbay::bench {

// A non-blocking listener on 127.0.0.1. Port 0 picks one; ask port_of(). Ends the program on error.
int listen_on(std::uint16_t port, bool share_port);

std::uint16_t port_of(int socket);

// A connected, non-blocking socket with TCP_NODELAY; -1 when refused (errno has the reason).
int connect_to(std::uint16_t port);

int make_epoll();
void epoll_add(int epoll, int socket, std::uint32_t events, void* tag);
void epoll_change(int epoll, int socket, std::uint32_t events, void* tag);

}  // namespace patchbay::bench
