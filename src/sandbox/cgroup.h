// A Cgroup bounds the total use of all processes of one sandbox: memory, processes, processor time,
// disks. It is made inside our own cgroup, in version 1 or 2 or both, whichever the machine has.
//
// Plain calls that may block for a moment: for helper processes and thread pools, not for workers.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "sandbox/disks.h"
#include "sandbox/limits.h"

namespace patchbay::sandbox {

// A folder in which cgroups can be made that bound some of `memory`, `pids`, `cpu` and `io`.
struct CgroupPath {
  std::string folder;
  std::vector<std::string> controllers;
  bool unified = false;    // Version 2.
  std::string mount = {};  // Of version 2: the topmost visible folder.

  bool operator==(const CgroupPath&) const = default;
};

// Our own paths, from the texts of /proc/self/cgroup and /proc/self/mountinfo.
std::vector<CgroupPath> read_cgroup_paths(std::string_view own, std::string_view mounts);
std::vector<CgroupPath> cgroup_paths();

// A bound, and which file of a cgroup gets which value to set it.
struct BoundFile {
  Bound bound;
  std::string_view controller;
  std::string file;
  std::string value;

  bool operator==(const BoundFile&) const = default;
};

// For everything that can be set: a bound holds if each of its files could be written. Without
// known disks there is none for `io`.
std::vector<BoundFile> bound_files(bool unified, const Limits& limits, const Disks& disks);

// The current use of its processes, and which limits they reached.
struct Usage {
  std::uint64_t memory_peak = 0;
  std::uint64_t memory_now = 0;
  std::uint64_t out_of_memory = 0;  // Processes that were killed for lack of memory.
  std::uint64_t pids_refused = 0;   // Processes that could not be started.
  std::uint64_t cpu_us = 0;
};

class Cgroup {
 public:
  // Makes the cgroup and sets the bounds, `io` on each of the disks. Code::unavailable names the
  // required bounds that cannot be set, with the remedy; nothing is left behind then.
  static Result<Cgroup> make(const std::vector<CgroupPath>& paths, const std::string& name,
                             const Limits& limits, const Disks& disks);

  // One that is made elsewhere, now or later.
  explicit Cgroup(std::vector<std::string> folders) : folders_(std::move(folders)) {}
  static Cgroup named(const std::vector<CgroupPath>& paths, const std::string& name);

  const std::vector<std::string>& folders() const { return folders_; }

  // The bounds that are in effect.
  const std::vector<Bound>& bounds() const { return bounds_; }
  bool holds(Bound bound) const;

  Result<void> enter(pid_t process) const;
  Usage usage() const;

  // Kills its processes until none is left, and removes it. False if some are left after
  // `timeout_ms`.
  bool clear(int timeout_ms) const;

 private:
  using Reasons = std::map<Bound, std::string>;  // Why a bound cannot be set.
  void set_bounds(const CgroupPath& base, const std::string& folder, const Limits& limits,
                  const Disks& disks, Reasons& why);

  std::vector<std::string> folders_;
  std::vector<Bound> bounds_;
};

// The name of a new cgroup: after this process, so that leftovers can be swept.
std::string next_cgroup_name();

// Removes the cgroups of processes that no longer run.
void sweep_cgroups(const std::vector<CgroupPath>& paths);

// The cgroup paths of this process, swept and with room made in them on the first call; later calls
// return the same.
const std::vector<CgroupPath>& prepared_cgroup_paths();

// Where version 2 sets no bounds because processes are in the way: if that is only this process, it
// moves into a cgroup of its own; else, where permitted, the path at the top is used instead.
// Called once, before the first cgroup is made.
void make_room(std::vector<CgroupPath>& paths);

}  // namespace patchbay::sandbox
