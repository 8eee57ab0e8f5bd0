// Which disks hold the files that a sandbox sees, as cgroups need them to bound reads and writes:
// whole disks, never partitions.
//
// Plain calls that may block for a moment: for helper processes and thread pools, not for workers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace patchbay::sandbox {

struct Disk {
  std::string number;  // "254:0"
  std::string name;    // "vda"

  bool operator==(const Disk&) const = default;
};

// Or why they are unknown.
using Disks = Result<std::vector<Disk>>;

// The disks below `paths` and everything mounted beneath them; empty if all of it is in memory or
// on another machine. Where a file system does not report its disk (overlayfs, ZFS) these are all
// disks of the machine. `sys` is the path of sysfs. REQUIRES: the paths contain no link.
Disks find_disks(const std::vector<std::string>& paths, std::string_view mountinfo,
                 const std::string& sys);

// The same on this machine; missing paths are left out.
Disks disks_below(const std::vector<std::string>& paths);

}  // namespace patchbay::sandbox
