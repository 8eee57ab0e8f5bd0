// Where cgroups can be made: found in what the kernel says about ourselves and our mounts.
#include <algorithm>
#include <array>
#include <optional>

#include "core/text.h"
#include "sandbox/cgroup.h"
#include "sandbox/small_files.h"

namespace patchbay::sandbox {
namespace {

constexpr std::array<std::string_view, 3> kControllers{"memory", "pids", "cpu"};

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

struct Mount {
  std::string_view root;   // Which folder of the file system it shows...
  std::string_view point;  // ...and where.
  bool unified = false;
  std::vector<std::string_view> options;
};

// `36 35 0:30 /root /point rw,… shared:1 - cgroup cgroup rw,memory`
std::optional<Mount> mount_of(std::string_view line) {
  const auto dash = line.find(" - ");
  if (dash == std::string_view::npos) return {};
  const auto before = split(line.substr(0, dash), ' ');
  const auto after = split(line.substr(dash + 3), ' ');
  if (before.size() < 5 || after.size() < 3) return {};
  if (after[0] != "cgroup" && after[0] != "cgroup2") return {};
  return Mount{before[3], before[4], after[0] == "cgroup2", split(after[2], ',')};
}

// The folder of cgroup `path` below a mount; nothing if the mount does not show it.
std::optional<std::string> folder_of(const Mount& mount, std::string_view path) {
  if (mount.root != "/") {
    if (!path.starts_with(mount.root)) return {};
    path.remove_prefix(mount.root.size());
    if (!path.empty() && path.front() != '/') return {};
  }
  std::string folder(mount.point);
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

std::vector<CgroupPlace> read_places(std::string_view own, std::string_view mounts) {
  std::vector<Mount> all;
  for (const auto line : split(mounts, '\n')) {
    if (const auto mount = mount_of(line)) all.push_back(*mount);
  }
  std::vector<CgroupPlace> places;
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
          mount.unified == unified &&
          (unified || std::ranges::find(mount.options, controllers.front()) != mount.options.end());
      if (!shows) continue;
      if (auto folder = folder_of(mount, path)) {
        places.push_back(
            {*std::move(folder), controllers, unified, unified ? std::string(mount.point) : ""});
        break;
      }
    }
  }
  return places;
}

std::vector<CgroupPlace> cgroup_places() {
  const auto own = read_small("/proc/self/cgroup");
  const auto mounts = read_small("/proc/self/mountinfo");
  if (!own || !mounts) return {};
  auto places = read_places(*own, *mounts);
  // Version 2 says in a file which controllers it has here. Where version 1 holds them all it has
  // none, and is of no use to us.
  for (auto& place : places) {
    if (!place.unified) continue;
    const auto has = read_small(place.folder + "/cgroup.controllers");
    if (has) place.controllers = known_among(split(trimmed(*has), ' '));
  }
  std::erase_if(places, [](const CgroupPlace& place) { return place.controllers.empty(); });
  return places;
}

}  // namespace patchbay::sandbox
