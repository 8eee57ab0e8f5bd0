// A pair of sockets that carries whole messages between two processes, and with a message a
// descriptor: how the gateway speaks with a helper process of its own.
//
// Plain calls on descriptors, for any thread; whether they block is the descriptor's own matter.
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

// Both ends close themselves at exec. They block.
Result<std::pair<Fd, Fd>> make_packet_pair();

void set_nonblocking(const Fd& fd);

// Code::too_large for a message beyond the limit, Code::unavailable if the other end has gone or
// takes nothing now.
Result<void> send_packet(int fd, std::string_view text, int attached = -1);

// Nothing if nothing has come yet. Code::unavailable once the other end has gone.
Result<std::optional<Packet>> receive_packet(int fd);

}  // namespace patchbay::net
