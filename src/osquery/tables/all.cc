#include "osquery/tables/all.h"

#include <algorithm>
#include <array>

namespace patchbay::osquery {
namespace {

constexpr std::array kTables{
    &kAptSources,
    &kArpCache,
    &kBlockDevices,
    &kCpuInfo,
    &kCpuTime,
    &kCrontab,
    &kDebPackages,
    &kEtcHosts,
    &kEtcServices,
    &kFile,
    &kGroups,
    &kHash,
    &kInterfaceAddresses,
    &kInterfaceDetails,
    &kKernelInfo,
    &kListeningPorts,
    &kLoadAverage,
    &kLoggedInUsers,
    &kMemoryInfo,
    &kMounts,
    &kOsVersion,
    &kOsqueryInfo,
    &kOsqueryRegistry,
    &kProcessMemoryMap,
    &kProcessOpenFiles,
    &kProcessOpenSockets,
    &kProcesses,
    &kRoutes,
    &kSystemInfo,
    &kSystemdUnits,
    &kTime,
    &kUptime,
    &kUserGroups,
    &kUsers,
};

}  // namespace

std::span<const Table* const> tables() { return kTables; }

const Table* find_table(std::string_view name) {
  const auto* const found =
      std::ranges::find(kTables, name, [](const Table* one) { return one->name; });
  return found == kTables.end() ? nullptr : *found;
}

}  // namespace patchbay::osquery
