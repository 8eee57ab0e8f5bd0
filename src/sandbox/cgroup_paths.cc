// Where cgroups can be made: from what the kernel reports about this process and its mounts.
#include <algorithm>
#include <array>
#include <optional>

#include "core/text.h"
#include "sandbox/cgroup.h"
#include "sandbox/mounts.h"
#include "sandbox/small_files.h"

namespace patchbay::sandbox {
namespace {

// Version 1 calls the last one blkio.
constexpr std::array<std::string_view, 5> kControllers{"memory", "pids", "cpu", "io", "blkio"};

// The folder of cgroup `path` below a mount; nothing if it is not visible there.
std::optional<std::string> folder_of(const Mount& mount, std::string_view path) {
  if (mount.root != "/") {
    if (!path.starts_with(mount.root)) return {};
    path.remove_prefix(mount.root.size());
    if (!path.empty() && path.front() != '/') return {};
  }
  std::string folder = mount.point;
  if (path != "/") folder += path;
  return folder;
}

std::vector<std::string> known_among(const std::vector<std::string_view>& names) {
  std::vector<std::string> known;
  for (const auto name : kControllers) {
    if (std::ranges::find(names, name) != names.end()) known.emplace_back(name);
  }
  return known;
}

}  // namespace

std::vector<CgroupPath> read_cgroup_paths(std::string_view own, std::string_view mounts) {
  const auto all = parse_mounts(mounts);
  std::vector<CgroupPath> paths;
  for (const auto line : split(own, '\n')) {
    // `4:memory:/path`, or `0::/path` for version 2.
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const auto names = split(line.substr(first + 1, second - first - 1), ',');
    const auto path = line.substr(second + 1);
    const bool unified = line.starts_with("0::");
    const auto controllers = known_among(names);
    if (!unified && controllers.empty()) continue;
    for (const auto& mount : all) {
      const bool shows =
          mount.type == (unified ? "cgroup2" : "cgroup") &&
          (unified || std::ranges::find(mount.options, controllers.front()) != mount.options.end());
      if (!shows) continue;
      if (auto folder = folder_of(mount, path)) {
        paths.push_back({*std::move(folder), controllers, unified, unified ? mount.point : ""});
        break;
      }
    }
  }
  return paths;
}

std::vector<CgroupPath> cgroup_paths() {
  const auto own = read_small("/proc/self/cgroup");
  const auto mounts = read_small("/proc/self/mountinfo");
  if (!own || !mounts) return {};
  auto paths = read_cgroup_paths(*own, *mounts);
  // Version 2 lists its controllers in a file. If version 1 holds all controllers, the list is
  // empty, and version 2 is of no use.
  for (auto& base : paths) {
    if (!base.unified) continue;
    const auto has = read_small(base.folder + "/cgroup.controllers");
    if (has) base.controllers = known_among(split(trimmed(*has), ' '));
  }
  std::erase_if(paths, [](const CgroupPath& base) { return base.controllers.empty(); });
  return paths;
}

}  // namespace patchbay::sandbox
