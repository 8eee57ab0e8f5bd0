#include "sandbox/disks.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include "core/text.h"
#include "sandbox/mounts.h"
#include "sandbox/small_files.h"

namespace patchbay::sandbox {
namespace {

// Their files are in memory, made up by the kernel, or on another machine.
constexpr std::array<std::string_view, 27> kWithoutDisk{
    "9p",      "afs",        "autofs",  "bpf",    "ceph",     "cgroup",   "cgroup2",
    "cifs",    "configfs",   "debugfs", "devpts", "devtmpfs", "efivarfs", "fuse",
    "fusectl", "hugetlbfs",  "mqueue",  "nfs",    "nfs4",     "nsfs",     "proc",
    "ramfs",   "securityfs", "smb3",    "sysfs",  "tmpfs",    "virtiofs"};

bool is_without_disk(const Mount& mount) {
  return mount.type.starts_with("fuse.") ||
         std::ranges::find(kWithoutDisk, mount.type) != kWithoutDisk.end();
}

bool is_at_or_below(std::string_view path, std::string_view folder) {
  if (folder == "/") return true;
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

// The mounts that show what is at `path` or beneath it.
std::vector<Mount> mounts_at(const std::string& path, const std::vector<Mount>& mounts) {
  const Mount* holder = nullptr;
  std::vector<Mount> found;
  for (const auto& mount : mounts) {
    if (is_at_or_below(mount.point, path)) found.push_back(mount);
    // Of several at one place the last one is seen.
    const bool nearer = !holder || mount.point.size() >= holder->point.size();
    if (is_at_or_below(path, mount.point) && nearer) holder = &mount;
  }
  if (holder) found.push_back(*holder);
  return found;
}

std::vector<std::string> names_in(const std::string& path) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
  while (const dirent* const entry = folder ? ::readdir(folder.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

// Where `path` leads once its links are followed; empty if it leads nowhere.
std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), ::free);
  return real ? real.get() : "";
}

std::string last_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

class Finder {
 public:
  Finder(std::string_view mountinfo, std::string sys)
      : mounts_(parse_mounts(mountinfo)), sys_(std::move(sys)) {}

  Result<void> look_below(const std::string& path) {
    for (const auto& mount : mounts_at(path, mounts_)) {
      auto added = add_mount(mount);
      if (!added) return added;
    }
    return ok();
  }

  std::vector<Disk> take() { return std::move(found_); }

 private:
  Result<void> add_mount(const Mount& mount) {
    if (is_without_disk(mount)) return ok();
    if (!mount.device.starts_with("0:")) return add_device(mount.device, mount.point);
    const auto members = members_of(mount);
    for (const auto& name : members) {
      const auto number = read_small(fmt::format("{}/class/block/{}/dev", sys_, name));
      if (!number) return add_all(mount);
      auto added = add_device(std::string(trimmed(*number)), mount.point);
      if (!added) return added;
    }
    return members.empty() ? add_all(mount) : ok();
  }

  // The devices of a file system that has no number of one, by name: btrfs may have several.
  std::vector<std::string> members_of(const Mount& mount) const {
    if (!mount.source.starts_with("/dev/")) return {};
    // Names such as /dev/mapper/root are links; the kernel knows the device by another one.
    const auto real = real_path(mount.source);
    const auto device = last_name(real.empty() ? mount.source : real);
    if (mount.type == "btrfs") {
      const std::string all = sys_ + "/fs/btrfs";
      for (const auto& one : names_in(all)) {
        auto members = names_in(fmt::format("{}/{}/devices", all, one));
        if (std::ranges::find(members, device) != members.end()) return members;
      }
    }
    return {device};
  }

  // A device by its number, or the disk that it is a part of.
  Result<void> add_device(const std::string& number, const std::string& point) {
    std::string folder = fmt::format("{}/dev/block/{}", sys_, number);
    if (::access((folder + "/partition").c_str(), F_OK) == 0) folder += "/..";
    const auto whole = read_small(folder + "/dev");
    if (!whole) {
      return Error{Code::unavailable, fmt::format("cannot tell which disk is below {}: {}", point,
                                                  whole.error().message)};
    }
    add({std::string(trimmed(*whole)), last_name(real_path(folder))});
    return ok();
  }

  // Nobody says which it is, so it is bounded on each.
  Result<void> add_all(const Mount& mount) {
    bool any = false;
    for (const auto& name : names_in(sys_ + "/block")) {
      const auto number = read_small(fmt::format("{}/block/{}/dev", sys_, name));
      const auto size = read_small(fmt::format("{}/block/{}/size", sys_, name));
      // One without a size has nothing in it.
      if (!number || !size || trimmed(*size) == "0") continue;
      any = true;
      add({std::string(trimmed(*number)), name});
    }
    if (any) return ok();
    return Error{Code::unavailable,
                 fmt::format("cannot tell which disk is below {} ({}): {}/block names none",
                             mount.point, mount.type, sys_)};
  }

  void add(Disk disk) {
    if (std::ranges::find(found_, disk) == found_.end()) found_.push_back(std::move(disk));
  }

  const std::vector<Mount> mounts_;
  const std::string sys_;
  std::vector<Disk> found_;
};

}  // namespace

Disks find_disks(const std::vector<std::string>& paths, std::string_view mountinfo,
                 const std::string& sys) {
  Finder finder(mountinfo, sys);
  for (const auto& path : paths) {
    auto looked = finder.look_below(path);
    if (!looked) return looked.error();
  }
  return finder.take();
}

Disks disks_below(const std::vector<std::string>& paths) {
  const auto mountinfo = read_small("/proc/self/mountinfo");
  if (!mountinfo) return mountinfo.error();
  std::vector<std::string> whole;
  for (const auto& path : paths) {
    if (auto real = real_path(path); !real.empty()) whole.push_back(std::move(real));
  }
  return find_disks(whole, *mountinfo, "/sys");
}

}  // namespace patchbay::sandbox
