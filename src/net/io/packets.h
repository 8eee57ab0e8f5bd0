// A pair of sockets that carries whole messages between two processes, each with an optional
// descriptor: how the gateway communicates with its helper processes.
//
// Plain calls on descriptors, for any thread; whether they block depends on the descriptor.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/result.h"
#include "net/io/fd.h"

namespace patchbay::net {

// The longest message.
inline constexpr std::size_t kLongestPacket = 128 * 1024;

struct Packet {
  std::string text;
  Fd attached = {};  // Empty unless a descriptor came with it.
};

// Both ends are close-on-exec and blocking.
Result<std::pair<Fd, Fd>> make_packet_pair();

void set_nonblocking(const Fd& fd);

// Code::too_large for a message above the limit, Code::unavailable if the other end is closed or
// its buffer is full.
Result<void> send_packet(int fd, std::string_view text, int attached = -1);

// Nothing if no message has arrived. Code::unavailable once the other end is closed.
Result<std::optional<Packet>> receive_packet(int fd);

}  // namespace patchbay::net
