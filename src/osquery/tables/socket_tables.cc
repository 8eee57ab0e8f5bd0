// process_open_sockets, listening_ports: the sockets of processes.
#include <array>
#include <map>
#include <unordered_map>

#include "net/io/machine_network.h"
#include "osquery/files.h"
#include "osquery/tables/all.h"
#include "osquery/tables/proc.h"
#include "osquery/tables/sockets.h"

namespace patchbay::osquery {
namespace {

constexpr std::int64_t kNobody = -1;  // Holds the sockets of processes that we may not see.

struct Holder {
  std::int64_t pid = kNobody;
  std::int64_t fd = -1;
};

// A network namespace, with a process in it through which its files can be read.
struct Network {
  std::string pid;
  std::unordered_multimap<std::uint64_t, Holder> holders;  // By inode of the socket.
};
using Networks = std::map<std::uint64_t, Network>;  // By inode of the namespace.

struct SocketFile {
  const char* name;
  int family;
  int protocol;
};
constexpr std::array kSocketFiles{
    SocketFile{"tcp", net::kIpv4Family, net::kTcp},
    SocketFile{"tcp6", net::kIpv6Family, net::kTcp},
    SocketFile{"udp", net::kIpv4Family, net::kUdp},
    SocketFile{"udp6", net::kIpv6Family, net::kUdp},
    SocketFile{"udplite", net::kIpv4Family, net::kUdpLite},
    SocketFile{"udplite6", net::kIpv6Family, net::kUdpLite},
    SocketFile{"raw", net::kIpv4Family, net::kRaw},
    SocketFile{"raw6", net::kIpv6Family, net::kRaw},
    SocketFile{"unix", net::kUnixFamily, 0},
};

Networks find_networks(Scan& scan, int pid_column) {
  Networks networks;
  each_process(scan, pid_column, [&](std::int64_t pid, int folder) {
    const auto space = linked_inode(read_link_at(folder, "ns/net"), "net");
    if (space == 0) return true;  // No permission to read it.
    Network& network = networks[space];
    if (network.pid.empty()) network.pid = std::to_string(pid);
    each_descriptor(folder, [&](std::int64_t fd, std::string_view target) {
      if (const auto inode = linked_inode(target, "socket")) {
        network.holders.emplace(inode, Holder{pid, fd});
      }
      return true;
    });
    return true;
  });
  return networks;
}

// Calls `visit(socket, holder, network)` for each socket of the processes that the query selects,
// until one yields false.
template <class Visit>
void each_socket(Scan& scan, int pid_column, Visit visit) {
  const bool nobody = scan.given_number(pid_column) == kNobody;
  const bool strangers = nobody || !scan.given(pid_column);
  constexpr int kNoColumn = -1;  // To find sockets without a holder, all processes are read.
  for (const auto& [space, network] : find_networks(scan, nobody ? kNoColumn : pid_column)) {
    const net::Fd folder = open_folder(scan.machine().path("/proc/" + network.pid + "/net"));
    if (!folder) continue;
    for (const auto& [name, family, protocol] : kSocketFiles) {
      const std::string text = read_file_at(folder.get(), name);
      const auto sockets = family == net::kUnixFamily ? parse_unix_sockets(text)
                                                      : parse_inet_sockets(text, family, protocol);
      for (const Socket& socket : sockets) {
        const auto [first, last] = network.holders.equal_range(socket.inode);
        for (auto at = first; at != last; ++at) {
          if (!visit(socket, at->second, space)) return;
        }
        if (first == last && strangers && !visit(socket, Holder{}, space)) return;
      }
    }
  }
}

namespace open_socket {
enum {
  pid,
  fd,
  socket,
  family,
  protocol,
  local_address,
  remote_address,
  local_port,
  remote_port,
  path,
  state,
  net_namespace
};
}
constexpr std::array kOpenSocketColumns{
    Column{"pid", Type::integer, Use::key},
    Column{"fd", Type::bigint},
    Column{"socket", Type::bigint},
    Column{"family", Type::integer},
    Column{"protocol", Type::integer},
    Column{"local_address", Type::text},
    Column{"remote_address", Type::text},
    Column{"local_port", Type::integer},
    Column{"remote_port", Type::integer},
    Column{"path", Type::text},
    Column{"state", Type::text},
    Column{"net_namespace", Type::text},
};

Result<void> read_open_sockets(Scan& scan) {
  each_socket(scan, open_socket::pid,
              [&](const Socket& socket, const Holder& holder, std::uint64_t space) {
                if (!scan.row()) return false;
                scan.set(open_socket::pid, holder.pid);
                scan.set(open_socket::fd, holder.fd);
                scan.set(open_socket::socket, static_cast<std::int64_t>(socket.inode));
                scan.set(open_socket::family, socket.family);
                scan.set(open_socket::protocol, socket.protocol);
                scan.set(open_socket::local_address, socket.local_address);
                scan.set(open_socket::remote_address, socket.remote_address);
                scan.set(open_socket::local_port, socket.local_port);
                scan.set(open_socket::remote_port, socket.remote_port);
                scan.set(open_socket::path, socket.path);
                scan.set(open_socket::state, socket.state);
                scan.set(open_socket::net_namespace, std::to_string(space));
                return true;
              });
  return ok();
}

namespace port {
enum { pid, port, protocol, family, address, fd, socket, path, net_namespace };
}
constexpr std::array kPortColumns{
    Column{"pid", Type::integer, Use::key}, Column{"port", Type::integer},
    Column{"protocol", Type::integer},      Column{"family", Type::integer},
    Column{"address", Type::text},          Column{"fd", Type::bigint},
    Column{"socket", Type::bigint},         Column{"path", Type::text},
    Column{"net_namespace", Type::text},
};

Result<void> read_ports(Scan& scan) {
  each_socket(scan, port::pid,
              [&](const Socket& socket, const Holder& holder, std::uint64_t space) {
                const bool nameless = socket.family == net::kUnixFamily && socket.path.empty();
                if (!socket.listens || nameless) return true;
                if (!scan.row()) return false;
                scan.set(port::pid, holder.pid);
                scan.set(port::port, socket.local_port);
                scan.set(port::protocol, socket.protocol);
                scan.set(port::family, socket.family);
                scan.set(port::address, socket.local_address);
                scan.set(port::fd, holder.fd);
                scan.set(port::socket, static_cast<std::int64_t>(socket.inode));
                scan.set(port::path, socket.path);
                scan.set(port::net_namespace, std::to_string(space));
                return true;
              });
  return ok();
}

}  // namespace

constinit const Table kProcessOpenSockets{"process_open_sockets",
                                          "The sockets that processes have open.",
                                          kOpenSocketColumns, read_open_sockets};
constinit const Table kListeningPorts{"listening_ports", "The sockets on which processes listen.",
                                      kPortColumns, read_ports};

}  // namespace patchbay::osquery
