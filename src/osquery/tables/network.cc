// interface_addresses, interface_details, arp_cache: the machine's network interfaces.
#include <array>

#include "net/io/machine_network.h"
#include "osquery/files.h"
#include "osquery/tables/all.h"
#include "osquery/text.h"

namespace patchbay::osquery {
namespace {

namespace address {
enum { interface, address, mask, broadcast, point_to_point, type };
}
constexpr std::array kAddressColumns{
    Column{"interface", Type::text},      Column{"address", Type::text},
    Column{"mask", Type::text},           Column{"broadcast", Type::text},
    Column{"point_to_point", Type::text}, Column{"type", Type::text},
};

Result<void> read_addresses(Scan& scan) {
  auto all = net::interface_addresses();
  if (!all) return all.error();
  for (const auto& one : *all) {
    if (!scan.row()) return ok();
    scan.set(address::interface, one.interface);
    scan.set(address::address, one.address);
    scan.set(address::mask, one.mask);
    scan.set(address::broadcast, one.broadcast);
    scan.set(address::point_to_point, one.peer);
    scan.set(address::type, "unknown");  // Linux does not store its origin.
  }
  return ok();
}

namespace detail {
enum {
  interface,
  mac,
  type,
  mtu,
  metric,
  flags,
  ipackets,
  opackets,
  ibytes,
  obytes,
  ierrors,
  oerrors,
  idrops,
  odrops,
  collisions,
  last_change,
  link_speed,
  pci_slot
};
}
constexpr std::array kDetailColumns{
    Column{"interface", Type::text},    Column{"mac", Type::text},
    Column{"type", Type::integer},      Column{"mtu", Type::integer},
    Column{"metric", Type::integer},    Column{"flags", Type::integer},
    Column{"ipackets", Type::bigint},   Column{"opackets", Type::bigint},
    Column{"ibytes", Type::bigint},     Column{"obytes", Type::bigint},
    Column{"ierrors", Type::bigint},    Column{"oerrors", Type::bigint},
    Column{"idrops", Type::bigint},     Column{"odrops", Type::bigint},
    Column{"collisions", Type::bigint}, Column{"last_change", Type::bigint},
    Column{"link_speed", Type::bigint}, Column{"pci_slot", Type::text},
};

// Numbers below /sys/class/net/NAME, by column.
struct Fact {
  int column;
  const char* file;
  int base = 10;
};
constexpr std::array kFacts{
    Fact{detail::type, "type"},
    Fact{detail::mtu, "mtu"},
    Fact{detail::flags, "flags", 16},
    Fact{detail::ipackets, "statistics/rx_packets"},
    Fact{detail::opackets, "statistics/tx_packets"},
    Fact{detail::ibytes, "statistics/rx_bytes"},
    Fact{detail::obytes, "statistics/tx_bytes"},
    Fact{detail::ierrors, "statistics/rx_errors"},
    Fact{detail::oerrors, "statistics/tx_errors"},
    Fact{detail::idrops, "statistics/rx_dropped"},
    Fact{detail::odrops, "statistics/tx_dropped"},
    Fact{detail::collisions, "statistics/collisions"},
    Fact{detail::link_speed, "speed"},
};

// `/sys/devices/…/0000:00:03.0`: the last part, if it is a slot.
std::string_view slot_of(std::string_view device) {
  const auto name = device.substr(device.rfind('/') + 1);
  return name.size() == 12 && name[4] == ':' && name[7] == ':' ? name : std::string_view();
}

Result<void> read_details(Scan& scan) {
  const std::string all = scan.machine().path("/sys/class/net");
  for (const std::string& name : names_in(all)) {
    const net::Fd folder = open_folder(all + "/" + name);
    if (!folder) continue;
    if (!scan.row()) return ok();
    scan.set(detail::interface, name);
    scan.set(detail::mac, trimmed(read_file_at(folder.get(), "address")));
    for (const auto& [column, file, base] : kFacts) {
      if (!scan.needs(column)) continue;
      const std::string text = read_file_at(folder.get(), file);
      std::string_view digits = trimmed(text);
      if (base == 16 && digits.starts_with("0x")) digits.remove_prefix(2);
      scan.set(column,
               number<std::int64_t>(digits, base).value_or(column == detail::link_speed ? -1 : 0));
    }
    if (scan.needs(detail::metric)) scan.set(detail::metric, net::interface_metric(name));
    scan.set(detail::last_change, -1);
    scan.set(detail::pci_slot, slot_of(read_link_at(folder.get(), "device")));
  }
  return ok();
}

namespace arp {
enum { address, mac, interface, permanent };
}
constexpr std::array kArpColumns{
    Column{"address", Type::text},
    Column{"mac", Type::text},
    Column{"interface", Type::text},
    Column{"permanent", Type::text},
};
constexpr std::uint32_t kPermanent = 0x4;  // Among the flags of an entry.

Result<void> read_arp(Scan& scan) {
  const std::string text = read_file(scan.machine().path("/proc/net/arp"));
  std::string_view lines = text;
  take_until(lines, '\n');  // Names of columns.
  each_line(lines, [&](std::string_view line) {
    const auto address = take_field(line);
    take_field(line);  // Hardware type.
    std::string_view flags = take_field(line);
    const auto mac = take_field(line);
    take_field(line);  // Mask.
    const auto interface = take_field(line);
    if (interface.empty() || !scan.row()) return;
    if (flags.starts_with("0x")) flags.remove_prefix(2);
    scan.set(arp::address, address);
    scan.set(arp::mac, mac);
    scan.set(arp::interface, interface);
    scan.set(arp::permanent, number<std::uint32_t>(flags, 16).value_or(0) & kPermanent ? "1" : "0");
  });
  return ok();
}

}  // namespace

constinit const Table kInterfaceAddresses{"interface_addresses",
                                          "The addresses of the network interfaces.",
                                          kAddressColumns, read_addresses};
constinit const Table kInterfaceDetails{
    "interface_details", "The network interfaces and their traffic.", kDetailColumns, read_details};
constinit const Table kArpCache{"arp_cache", "The hardware addresses of IP addresses.", kArpColumns,
                                read_arp};

}  // namespace patchbay::osquery
