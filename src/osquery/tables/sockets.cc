#include "osquery/tables/sockets.h"

#include <array>
#include <optional>
#include <unordered_set>

#include "net/io/machine_network.h"
#include "osquery/text.h"

namespace patchbay::osquery {
namespace {

// In the order of the kernel's numbers, which begin with 1.
constexpr std::array<std::string_view, 11> kStates{
    "ESTABLISHED", "SYN_SENT",   "SYN_RECV", "FIN_WAIT1", "FIN_WAIT2", "TIME_WAIT",
    "CLOSED",      "CLOSE_WAIT", "LAST_ACK", "LISTEN",    "CLOSING"};
constexpr std::size_t kListen = 10;

// The flag of a UNIX socket that accepts connections.
constexpr std::uint32_t kAccepts = 0x10000;

struct Endpoint {
  std::string address;
  int port = 0;
};

// `0100007F:1F90`: the address as 32-bit groups in the machine's byte order, then the port.
std::optional<Endpoint> parse_endpoint(std::string_view text, int family) {
  const std::string_view hex = take_until(text, ':');
  const std::size_t groups = family == net::kIpv6Family ? 4 : 1;
  const auto port = number<std::uint16_t>(text, 16);
  if (hex.size() != groups * 8 || !port) return std::nullopt;
  std::array<std::uint32_t, 4> address{};
  for (std::size_t i = 0; i < groups; ++i) {
    const auto kind = number<std::uint32_t>(hex.substr(i * 8, 8), 16);
    if (!kind) return std::nullopt;
    address[i] = *kind;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(address.data()), groups * 4);
  return Endpoint{net::show_ip(bytes), *port};
}

// The first line names the columns.
std::string_view without_head(std::string_view text) {
  take_until(text, '\n');
  return text;
}

// The kernel lists its sockets piece by piece: while others change, one may be listed twice. Those
// without an inode have no owner any more, and there are many of them.
std::vector<Socket> each_once(std::vector<Socket> sockets) {
  std::unordered_set<std::uint64_t> seen;
  std::erase_if(
      sockets, [&](const Socket& one) { return one.inode != 0 && !seen.insert(one.inode).second; });
  return sockets;
}

}  // namespace

std::vector<Socket> parse_inet_sockets(std::string_view text, int family, int protocol) {
  std::vector<Socket> sockets;
  each_line(without_head(text), [&](std::string_view line) {
    take_field(line);  // The number of the line.
    const auto local = parse_endpoint(take_field(line), family);
    const auto remote = parse_endpoint(take_field(line), family);
    const auto state = number<std::uint32_t>(take_field(line), 16);
    for (int i = 0; i < 5; ++i) take_field(line);  // Queues, timer, retransmits, uid, timeout.
    const auto inode = number<std::uint64_t>(take_field(line));
    if (!local || !remote || !state || !inode) return;
    Socket one;
    one.inode = *inode;
    one.family = family;
    one.protocol = protocol;
    one.local_address = local->address;
    one.remote_address = remote->address;
    one.local_port = local->port;
    one.remote_port = remote->port;
    const bool tcp = protocol == net::kTcp;
    if (tcp && *state >= 1 && *state <= kStates.size()) one.state = kStates[*state - 1];
    one.listens = tcp ? *state == kListen : remote->port == 0;
    sockets.push_back(std::move(one));
  });
  return each_once(std::move(sockets));
}

std::vector<Socket> parse_unix_sockets(std::string_view text) {
  std::vector<Socket> sockets;
  each_line(without_head(text), [&](std::string_view line) {
    for (int i = 0; i < 3; ++i) take_field(line);  // Address, references, protocol.
    const auto flags = number<std::uint32_t>(take_field(line), 16);
    take_field(line);  // Type.
    take_field(line);  // State.
    const auto inode = number<std::uint64_t>(take_field(line));
    if (!flags || !inode) return;
    Socket one;
    one.inode = *inode;
    one.family = net::kUnixFamily;
    one.path = trimmed(line);
    one.listens = (*flags & kAccepts) != 0;
    sockets.push_back(std::move(one));
  });
  return each_once(std::move(sockets));
}

std::uint64_t linked_inode(std::string_view link, std::string_view kind) {
  if (!link.starts_with(kind) || !link.substr(kind.size()).starts_with(":[")) return 0;
  link.remove_prefix(kind.size() + 2);
  return number<std::uint64_t>(take_until(link, ']')).value_or(0);
}

}  // namespace patchbay::osquery
