// osquery_info, osquery_registry: the tables about the tables.
#include <unistd.h>

#include <array>
#include <chrono>

#include "core/ids.h"
#include "core/version.h"
#include "osquery/tables/all.h"
#include "osquery/tables/system_facts.h"

namespace patchbay::osquery {
namespace {

namespace info {
enum {
  pid,
  uuid,
  instance_id,
  version,
  config_hash,
  config_valid,
  extensions,
  build_platform,
  build_distro,
  start_time,
  watcher,
  platform_mask
};
}
constexpr std::array kInfoColumns{
    Column{"pid", Type::integer},       Column{"uuid", Type::text},
    Column{"instance_id", Type::text},  Column{"version", Type::text},
    Column{"config_hash", Type::text},  Column{"config_valid", Type::integer},
    Column{"extensions", Type::text},   Column{"build_platform", Type::text},
    Column{"build_distro", Type::text}, Column{"start_time", Type::integer},
    Column{"watcher", Type::integer},   Column{"platform_mask", Type::integer},
};

constexpr std::int64_t kLinux = 0x01 | 0x08;  // POSIX and Linux in osquery's mask.

Result<void> read_info(Scan& scan) {
  static const std::string instance = random_hex(16);
  static const auto started = std::chrono::system_clock::now();
  if (!scan.row()) return ok();
  scan.set(info::pid, ::getpid());
  if (scan.needs(info::uuid)) scan.set(info::uuid, machine_uuid(scan.machine()));
  scan.set(info::instance_id, as_uuid(instance));
  scan.set(info::version, kVersion);
  scan.set(info::config_valid, 1);
  scan.set(info::extensions, "inactive");
  scan.set(info::build_platform, "linux");
  scan.set(info::start_time, std::chrono::system_clock::to_time_t(started));
  scan.set(info::watcher, -1);
  scan.set(info::platform_mask, kLinux);
  return ok();
}

namespace registry {
enum { registry, name, owner_uuid, internal, active };
}
constexpr std::array kRegistryColumns{
    Column{"registry", Type::text},      Column{"name", Type::text},
    Column{"owner_uuid", Type::integer}, Column{"internal", Type::integer},
    Column{"active", Type::integer},
};

Result<void> read_registry(Scan& scan) {
  for (const Table* const table : tables()) {
    if (!scan.row()) return ok();
    scan.set(registry::registry, "table");
    scan.set(registry::name, table->name);
    scan.set(registry::owner_uuid, 0);
    scan.set(registry::internal, 0);
    scan.set(registry::active, scan.machine().allowed(table->name) ? 1 : 0);
  }
  return ok();
}

}  // namespace

constinit const Table kOsqueryInfo{"osquery_info", "The server that answers.", kInfoColumns,
                                   read_info};
constinit const Table kOsqueryRegistry{"osquery_registry", "The available tables.",
                                       kRegistryColumns, read_registry};

}  // namespace patchbay::osquery
