#include "sandbox/cgroup.h"

#include <dirent.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>
#include <thread>

#include "core/text.h"
#include "sandbox/process_mark.h"
#include "sandbox/small_files.h"

namespace patchbay::sandbox {
namespace {

constexpr std::string_view kPrefix = "patchbay_";
constexpr int kPeriod = 100'000;  // Microseconds over which processor time is counted.

bool is_required(const Limits& limits, Bound bound) {
  return std::ranges::find(limits.not_required, bound) == limits.not_required.end();
}

// All missing requirements, so that the operator can fix them in one go.
Error cannot_bound(const std::vector<Bound>& missing, std::string_view why_first) {
  std::vector<std::string_view> names;
  for (const Bound bound : missing) names.push_back(name_of(bound));
  const std::vector others(names.begin() + 1, names.end());
  const auto nor = others.empty() ? "" : fmt::format(" (nor can '{}')", fmt::join(others, "', '"));
  return {Code::unavailable,
          fmt::format("the limit '{}' cannot be set here{}: {}. Run as root or in a cgroup that "
                      "is delegated to this user (systemd-run --user --scope -p Delegate=yes …); "
                      "or, if it may run without, set `limits: {{ not_required: [{}] }}`",
                      names.front(), nor, why_first, fmt::join(names, ", "))};
}

// Without swap, nothing can be swapped.
bool machine_swaps() {
  const auto swaps = read_small("/proc/swaps");
  return !swaps || std::ranges::count(*swaps, '\n') > 1;
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

// The number in a file of one number; or, in a file of `key number` lines, that of `key`.
std::uint64_t number_in(const std::string& path, std::string_view key = {}) {
  const auto text = read_small(path);
  if (!text) return 0;
  std::string_view at = *text;
  if (!key.empty()) {
    const auto found = at.find(key);
    if (found == std::string_view::npos) return 0;
    at.remove_prefix(found + key.size());
  }
  at = trimmed(at);
  std::uint64_t value = 0;
  std::from_chars(at.data(), at.data() + at.size(), value);
  return value;
}

// Each disk by itself, and in version 1 each direction too.
void add_io_files(bool unified, const IoLimits& io, const std::vector<Disk>& disks,
                  std::vector<BoundFile>& files) {
  const struct {
    std::string_view key;
    std::string_view file;
    std::uint64_t most;
  } parts[] = {
      {"rbps", "read_bps", io.read.value},
      {"wbps", "write_bps", io.write.value},
      {"riops", "read_iops", static_cast<std::uint64_t>(io.reads)},
      {"wiops", "write_iops", static_cast<std::uint64_t>(io.writes)},
  };
  for (const auto& disk : disks) {
    std::string line = disk.number;
    for (const auto& part : parts) {
      if (part.most == 0) continue;
      line += fmt::format(" {}={}", part.key, part.most);
      if (unified) continue;
      files.push_back({Bound::io, "blkio", fmt::format("blkio.throttle.{}_device", part.file),
                       fmt::format("{} {}", disk.number, part.most)});
    }
    if (unified) files.push_back({Bound::io, "io", "io.max", line});
  }
}

bool has(const CgroupPath& base, std::string_view controller) {
  return std::ranges::find(base.controllers, controller) != base.controllers.end();
}

// Why `bound` is not set, if no attempt was made.
std::string why_absent(Bound bound, const Disks& disks) {
  if (bound == Bound::io && !disks) return disks.error().message;
  if (bound == Bound::io) {
    return "the controller 'io' (in version 1 'blkio') is not there; what systemd delegates to "
           "users has it only where Delegate= of user@.service names it";
  }
  return fmt::format("the controller '{}' is not there",
                     bound == Bound::swap ? "memory" : name_of(bound));
}

// The processes in a cgroup.
std::vector<pid_t> processes_in(const std::string& folder) {
  std::vector<pid_t> all;
  const auto text = read_small(folder + "/cgroup.procs");
  if (!text) return all;
  const char* at = text->data();
  const char* const end = at + text->size();
  while (at < end) {
    pid_t process = 0;
    const auto parsed = std::from_chars(at, end, process);
    if (parsed.ec != std::errc()) break;
    all.push_back(process);
    at = parsed.ptr + 1;
  }
  return all;
}

// Enables the controllers for the cgroups below `folder`, if permitted.
bool bounds_below(const std::string& folder, const std::vector<std::string>& controllers) {
  std::string wanted;
  for (const auto& controller : controllers) wanted += fmt::format("+{} ", controller);
  return static_cast<bool>(write_small(folder + "/cgroup.subtree_control", wanted));
}

bool step_down_into(const std::string& folder) {
  ::mkdir(folder.c_str(), 0755);
  return static_cast<bool>(write_small(folder + "/cgroup.procs", std::to_string(::getpid())));
}

}  // namespace

std::vector<BoundFile> bound_files(bool unified, const Limits& limits, const Disks& disks) {
  const std::string memory = std::to_string(limits.memory.value);
  // Besides its own processes, a sandbox has two that hold it and one that waits inside.
  const std::string pids = std::to_string(limits.pids + 3);
  const auto quota = static_cast<int>(limits.cpu * kPeriod);
  std::vector<BoundFile> files;
  if (unified) {
    files = {{Bound::memory, "memory", "memory.max", memory},
             {Bound::swap, "memory", "memory.swap.max", "0"},
             {Bound::pids, "pids", "pids.max", pids},
             {Bound::cpu, "cpu", "cpu.max", fmt::format("{} {}", quota, kPeriod)}};
  } else {
    files = {{Bound::memory, "memory", "memory.limit_in_bytes", memory},
             {Bound::swap, "memory", "memory.memsw.limit_in_bytes", memory},
             {Bound::pids, "pids", "pids.max", pids},
             {Bound::cpu, "cpu", "cpu.cfs_quota_us", std::to_string(quota)}};
  }
  if (limits.io.any() && disks) add_io_files(unified, limits.io, *disks, files);
  return files;
}

Result<Cgroup> Cgroup::make(const std::vector<CgroupPath>& paths, const std::string& name,
                            const Limits& limits, const Disks& disks) {
  Cgroup made({});
  Reasons why;
  for (const auto& base : paths) {
    const std::string folder = fmt::format("{}/{}", base.folder, name);
    if (::mkdir(folder.c_str(), 0755) == 0) {
      made.folders_.push_back(folder);
      made.set_bounds(base, folder, limits, disks, why);
      continue;
    }
    const auto reason = fmt::format("cannot make {}: {}", folder, std::strerror(errno));
    for (const auto& one : bound_files(base.unified, limits, disks)) {
      if (has(base, one.controller)) why.emplace(one.bound, reason);
    }
  }
  // Without a disk there is nothing to throttle.
  if (limits.io.any() && disks && disks->empty()) made.bounds_.push_back(Bound::io);
  std::vector<Bound> missing = bounds_of(limits);
  std::erase_if(missing,
                [&](Bound bound) { return made.holds(bound) || !is_required(limits, bound); });
  if (missing.empty()) return made;
  made.clear(0);
  const auto known = why.find(missing.front());
  return cannot_bound(missing,
                      known != why.end() ? known->second : why_absent(missing.front(), disks));
}

bool Cgroup::holds(Bound bound) const { return std::ranges::find(bounds_, bound) != bounds_.end(); }

Cgroup Cgroup::named(const std::vector<CgroupPath>& paths, const std::string& name) {
  std::vector<std::string> folders;
  for (const auto& base : paths) folders.push_back(fmt::format("{}/{}", base.folder, name));
  return Cgroup(std::move(folders));
}

void Cgroup::set_bounds(const CgroupPath& base, const std::string& folder, const Limits& limits,
                        const Disks& disks, Reasons& why) {
  for (const auto& one : bound_files(base.unified, limits, disks)) {
    if (!has(base, one.controller)) continue;
    const std::string path = fmt::format("{}/{}", folder, one.file);
    const bool nothing_swaps =
        one.bound == Bound::swap && !exists(path) && exists(folder) && !machine_swaps();
    auto set = nothing_swaps ? ok() : write_small(path, one.value);
    if (!set) why.emplace(one.bound, set.error().message);
    if (!holds(one.bound)) bounds_.push_back(one.bound);
  }
  // A bound does not hold if one of its files could not be written.
  std::erase_if(bounds_, [&](Bound bound) { return why.contains(bound); });
}

Result<void> Cgroup::enter(pid_t process) const {
  for (const auto& folder : folders_) {
    auto entered = write_small(folder + "/cgroup.procs", std::to_string(process));
    if (!entered) return entered;
  }
  return ok();
}

Usage Cgroup::usage() const {
  Usage usage;
  const auto take = [](std::uint64_t& into, std::uint64_t value) { into = std::max(into, value); };
  for (const auto& folder : folders_) {
    take(usage.memory_peak, number_in(folder + "/memory.max_usage_in_bytes"));
    take(usage.memory_peak, number_in(folder + "/memory.peak"));
    take(usage.memory_now, number_in(folder + "/memory.usage_in_bytes"));
    take(usage.memory_now, number_in(folder + "/memory.current"));
    take(usage.out_of_memory, number_in(folder + "/memory.oom_control", "oom_kill "));
    take(usage.out_of_memory, number_in(folder + "/memory.events", "oom_kill "));
    take(usage.pids_refused, number_in(folder + "/pids.events", "max "));
    take(usage.cpu_us, number_in(folder + "/cpu.stat", "usage_usec "));
  }
  return usage;
}

bool Cgroup::clear(int timeout_ms) const {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::milliseconds(timeout_ms);
  auto pause = std::chrono::microseconds(200);
  for (;;) {
    bool left = false;
    for (const auto& folder : folders_) {
      if (::rmdir(folder.c_str()) == 0 || errno == ENOENT) continue;
      left = true;
      for (const pid_t process : processes_in(folder)) ::kill(process, SIGKILL);
    }
    if (!left || Clock::now() >= until) return !left;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(20'000));
  }
}

std::string next_cgroup_name() {
  static const std::string mark = process_mark(::getpid());
  static std::atomic<std::uint64_t> last = 0;
  return fmt::format("{}{}-{}", kPrefix, mark, ++last);
}

void sweep_cgroups(const std::vector<CgroupPath>& paths) {
  for (const auto& base : paths) {
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(base.folder.c_str()), ::closedir);
    if (!folder) continue;
    while (const dirent* const entry = ::readdir(folder.get())) {
      const std::string_view name = entry->d_name;
      if (!name.starts_with(kPrefix)) continue;
      const std::string path = fmt::format("{}/{}", base.folder, name);
      const Owner owner = owner_of(name.substr(kPrefix.size()));
      if (owner == Owner::dead) Cgroup({path}).clear(1'000);
      // No process is killed that may be in use; an empty cgroup is unused.
      if (owner == Owner::unknown) ::rmdir(path.c_str());
    }
  }
}

const std::vector<CgroupPath>& prepared_cgroup_paths() {
  static const std::vector<CgroupPath> paths = [] {
    auto found = cgroup_paths();
    make_room(found);
    sweep_cgroups(found);
    return found;
  }();
  return paths;
}

void make_room(std::vector<CgroupPath>& paths) {
  for (auto& base : paths) {
    if (!base.unified || bounds_below(base.folder, base.controllers)) continue;
    // Only leaves may hold processes once anything is bounded below. If this process is alone here,
    // it moves one step down.
    const auto here = processes_in(base.folder);
    const bool alone = here.size() == 1 && here.front() == ::getpid();
    if (alone && step_down_into(base.folder + "/patchbay") &&
        bounds_below(base.folder, base.controllers)) {
      continue;
    }
    // The topmost cgroup may hold both.
    if (bounds_below(base.mount, base.controllers)) base.folder = base.mount;
  }
}

}  // namespace patchbay::sandbox
