#include "net/io/packets.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "core/text.h"
#include "net/io/system_failure.h"

namespace patchbay::net {
namespace {

// Room for one descriptor beside a message.
union Control {
  char bytes[CMSG_SPACE(sizeof(int))];
  cmsghdr aligned;
};

}  // namespace

Result<std::pair<Fd, Fd>> make_packet_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return system_failure("cannot make a pair of sockets");
  }
  return std::pair{Fd(ends[0]), Fd(ends[1])};
}

void set_nonblocking(const Fd& fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

Result<void> send_packet(int fd, std::string_view text, int attached) {
  if (text.size() > kLongestPacket) {
    return Error{Code::too_large,
                 fmt::format("a message of {} bytes; at most {} fit", text.size(), kLongestPacket)};
  }
  iovec part{const_cast<char*>(text.data()), text.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  Control control{};
  if (attached >= 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &attached, sizeof attached);
  }
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(fd, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent < 0) return system_failure("cannot send a message");
  return ok();
}

Result<std::optional<Packet>> receive_packet(int fd) {
  Packet packet;
  stretch(packet.text, kLongestPacket);
  iovec part{packet.text.data(), packet.text.size()};
  Control control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  ssize_t got = 0;
  do {
    got = ::recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return std::optional<Packet>();
  if (got < 0) return system_failure("cannot receive a message");
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
    int attached = -1;
    std::memcpy(&attached, CMSG_DATA(header), sizeof attached);
    packet.attached = Fd(attached);
  }
  if (got == 0) return Error{Code::unavailable, "the other end has closed"};
  packet.text.resize(static_cast<std::size_t>(got));
  packet.text.shrink_to_fit();
  return std::optional(std::move(packet));
}

}  // namespace patchbay::net
