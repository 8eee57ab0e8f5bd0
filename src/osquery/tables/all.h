// The built-in tables, each defined in the file of its group. all.cc lists them.
#pragma once

#include "osquery/table.h"

namespace patchbay::osquery {

extern const Table kAptSources;
extern const Table kArpCache;
extern const Table kBlockDevices;
extern const Table kCpuInfo;
extern const Table kCpuTime;
extern const Table kCrontab;
extern const Table kDebPackages;
extern const Table kEtcHosts;
extern const Table kEtcServices;
extern const Table kFile;
extern const Table kGroups;
extern const Table kHash;
extern const Table kInterfaceAddresses;
extern const Table kInterfaceDetails;
extern const Table kKernelInfo;
extern const Table kListeningPorts;
extern const Table kLoadAverage;
extern const Table kLoggedInUsers;
extern const Table kMemoryInfo;
extern const Table kMounts;
extern const Table kOsVersion;
extern const Table kOsqueryInfo;
extern const Table kOsqueryRegistry;
extern const Table kProcessMemoryMap;
extern const Table kProcessOpenFiles;
extern const Table kProcessOpenSockets;
extern const Table kProcesses;
extern const Table kRoutes;
extern const Table kSystemInfo;
extern const Table kSystemdUnits;
extern const Table kTime;
extern const Table kUptime;
extern const Table kUserGroups;
extern const Table kUsers;

}  // namespace patchbay::osquery
