// mounts, block_devices: where data is.
#include <sys/statvfs.h>

#include <array>
#include <climits>
#include <cstdlib>

#include "osquery/files.h"
#include "osquery/tables/all.h"
#include "osquery/tables/disk.h"
#include "osquery/tables/system_facts.h"
#include "osquery/text.h"

namespace patchbay::osquery {

std::string unescaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto code = text.size() >= 4 && text.front() == '\\'
                          ? number<unsigned char>(text.substr(1, 3), 8)
                          : std::nullopt;
    out += code ? static_cast<char>(*code) : text.front();
    text.remove_prefix(code ? 4 : 1);
  }
  return out;
}

namespace {

namespace mount {
enum {
  device,
  device_alias,
  path,
  type,
  blocks_size,
  blocks,
  blocks_free,
  blocks_available,
  inodes,
  inodes_free,
  flags
};
}
constexpr std::array kMountColumns{
    Column{"device", Type::text},        Column{"device_alias", Type::text},
    Column{"path", Type::text},          Column{"type", Type::text},
    Column{"blocks_size", Type::bigint}, Column{"blocks", Type::bigint},
    Column{"blocks_free", Type::bigint}, Column{"blocks_available", Type::bigint},
    Column{"inodes", Type::bigint},      Column{"inodes_free", Type::bigint},
    Column{"flags", Type::text},
};

void set_space(Scan& scan, const std::string& path) {
  struct statvfs space{};
  if (::statvfs(path.c_str(), &space) != 0) return;
  const auto set = [&](int column, auto value) {
    scan.set(column, static_cast<std::int64_t>(value));
  };
  set(mount::blocks_size, space.f_bsize);
  set(mount::blocks, space.f_blocks);
  set(mount::blocks_free, space.f_bfree);
  set(mount::blocks_available, space.f_bavail);
  set(mount::inodes, space.f_files);
  set(mount::inodes_free, space.f_ffree);
}

std::string resolved(const std::string& path) {
  std::array<char, PATH_MAX> real{};
  return ::realpath(path.c_str(), real.data()) ? std::string(real.data()) : path;
}

Result<void> read_mounts(Scan& scan) {
  const std::string text = read_file(scan.machine().path("/proc/self/mounts"));
  bool more = true;
  each_line(text, [&](std::string_view line) {
    more = more && scan.row();
    if (!more) return;
    const std::string device = unescaped(take_field(line));
    const std::string path = unescaped(take_field(line));
    scan.set(mount::device, device);
    scan.set(mount::path, path);
    scan.set(mount::type, take_field(line));
    scan.set(mount::flags, take_field(line));
    const bool node = device.starts_with('/');
    if (scan.needs(mount::device_alias)) {
      scan.set(mount::device_alias, node ? resolved(device) : device);
    }
    if (scan.needs(mount::blocks_size, mount::blocks, mount::blocks_free, mount::blocks_available,
                   mount::inodes, mount::inodes_free)) {
      set_space(scan, path);
    }
  });
  return ok();
}

namespace block {
enum { name, parent, vendor, model, serial, size, block_size, uuid, type, label };
}
constexpr std::array kBlockColumns{
    Column{"name", Type::text},          Column{"parent", Type::text}, Column{"vendor", Type::text},
    Column{"model", Type::text},         Column{"serial", Type::text}, Column{"size", Type::bigint},
    Column{"block_size", Type::integer}, Column{"uuid", Type::text},   Column{"type", Type::text},
    Column{"label", Type::text},
};

constexpr std::int64_t kSector = 512;  // The unit of sizes in /sys, whatever the device has.

// The name of the disk that a partition is part of; empty for a disk. The link leads to
// `…/block/sda/sda1`.
std::string parent_of(std::string_view link) {
  const auto folder = link.substr(0, link.rfind('/'));
  const auto name = folder.substr(folder.rfind('/') + 1);
  return name == "block" || name.empty() ? std::string() : "/dev/" + std::string(name);
}

Result<void> read_blocks(Scan& scan) {
  const std::string all = scan.machine().path("/sys/class/block");
  const net::Fd links = open_folder(all);
  for (const std::string& name : names_in(all)) {
    const net::Fd folder = open_folder(all + "/" + name);
    if (!folder) continue;
    if (!scan.row()) return ok();
    const auto fact = [&](const char* file) {
      return std::string(trimmed(read_file_at(folder.get(), file)));
    };
    const std::string parent = parent_of(read_link_at(links.get(), name.c_str()));
    std::int64_t unit = number_or(fact("queue/logical_block_size"), 0);
    if (unit <= 0) unit = number_or(fact("../queue/logical_block_size"), kSector);
    // What udev knows about the device.
    const std::string known = read_file(scan.machine().path("/run/udev/data/b" + fact("dev")));
    scan.set(block::name, "/dev/" + name);
    scan.set(block::parent, parent);
    scan.set(block::vendor, fact("device/vendor"));
    scan.set(block::model, fact("device/model"));
    scan.set(block::serial, fact("device/serial"));
    scan.set(block::size, number_or(fact("size"), 0) * kSector / unit);
    scan.set(block::block_size, unit);
    scan.set(block::uuid, value_of(known, "E:ID_FS_UUID"));
    scan.set(block::type, value_of(known, "E:ID_FS_TYPE"));
    scan.set(block::label, value_of(known, "E:ID_FS_LABEL"));
  }
  return ok();
}

}  // namespace

constinit const Table kMounts{"mounts", "The file systems that are mounted, and their space.",
                              kMountColumns, read_mounts};
constinit const Table kBlockDevices{"block_devices", "The disks and their partitions.",
                                    kBlockColumns, read_blocks};

}  // namespace patchbay::osquery
