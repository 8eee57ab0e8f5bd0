// Which disks are below the files that a sandbox sees, as the kernel wants to hear of them when it
// is to bound how fast they are read and written: whole disks, never their partitions.
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

// Or why they cannot be told.
using Disks = Result<std::vector<Disk>>;

// The disks below `paths` and all that is mounted beneath them; empty if everything there is in
// memory or on another machine. Where a file system does not say which disk it uses (overlayfs,
// ZFS) these are all disks of the machine. `sys` is where sysfs is. REQUIRES: no link is in the
// paths.
Disks find_disks(const std::vector<std::string>& paths, std::string_view mountinfo,
                 const std::string& sys);

// The same on this machine; paths that are not there are left out.
Disks disks_below(const std::vector<std::string>& paths);

}  // namespace patchbay::sandbox
