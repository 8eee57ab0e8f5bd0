#include "sandbox/examine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/text.h"
#include "net/io/fd.h"
#include "sandbox/bwrap.h"
#include "sandbox/kernel_rules.h"
#include "sandbox/small_files.h"
#include "sandbox/stage.h"

namespace patchbay::sandbox {
namespace {

bool has(const std::vector<Bound>& bounds, Bound one) {
  return std::ranges::find(bounds, one) != bounds.end();
}

Finding find_bubblewrap(Settings settings) {
  settings.read.clear();
  settings.write.clear();
  settings.user.clear();
  settings.egress.clear();
  const auto spec = spec_of(settings, {});
  return {"bubblewrap", static_cast<bool>(spec), spec ? spec->bwrap : spec.error().message};
}

// The shared files with their permissions, and the allowed destinations.
Finding find_shares(const Settings& settings) {
  const auto spec = spec_of(settings, {});
  return {"what is shared", static_cast<bool>(spec), spec ? "" : spec.error().message};
}

Finding find_namespaces() {
  // Both exist only on kernels that can forbid them.
  for (const char* const path :
       {"/proc/sys/user/max_user_namespaces", "/proc/sys/kernel/unprivileged_userns_clone"}) {
    const auto value = read_small(path);
    if (value && trimmed(*value) == "0") {
      return {"user namespaces", false, fmt::format("{} is 0; set it to allow them", path)};
    }
  }
  if (::access("/proc/self/ns/user", F_OK) != 0) {
    return {"user namespaces", false, "this kernel has none"};
  }
  return {"user namespaces", true};
}

// Only a possible cause: a profile may allow bubblewrap what it forbids this program.
void find_apparmor(std::vector<Finding>& findings) {
  const auto restricted = read_small("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
  const auto profile = read_small("/proc/self/attr/current");
  if (!restricted || !profile) return;
  auto fault = apparmor_fault(trimmed(*restricted), trimmed(*profile), ::geteuid() == 0);
  if (!fault.empty()) findings.push_back({"AppArmor profile", false, std::move(fault), false});
}

Finding find_filter() {
  if (::access("/proc/sys/kernel/seccomp", F_OK) != 0) {
    return {"seccomp", false, "this kernel has no system call filters"};
  }
  return {"seccomp", true};
}

Finding find_openat2() {
  open_how how{};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH;
  const net::Fd folder(static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, ".", &how, sizeof how)));
  if (!folder) return {"openat2", false, openat2_fault(errno, kernel_release())};
  return {"openat2", true};
}

Finding find_clocks() {
  constexpr char kMost[] = "/proc/sys/user/max_time_namespaces";
  const auto most = read_small(kMost);
  if (!has_own_clocks()) {
    return {"time namespaces", false, "not in this kernel; clocks reveal the machine's uptime",
            false};
  }
  if (most && trimmed(*most) == "0") {
    return {"time namespaces", false, fmt::format("{} is 0; set it to allow them", kMost)};
  }
  return {"time namespaces", true};
}

Finding find_landlock() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1);
  if (version < 0)
    return {"landlock", false, "not in this kernel; the other restrictions apply", false};
  return {"landlock", true, fmt::format("version {}", version), false};
}

Disks disks_of(const Settings& settings) {
  const auto spec = spec_of(settings, {});
  return disks_below(seen_of(spec ? *spec : Spec()));
}

// The reason when only `bound` is required.
std::string why_not(const std::vector<CgroupPath>& paths, Limits limits, const Disks& disks,
                    Bound bound) {
  limits.not_required = bounds_of(limits);
  std::erase(limits.not_required, bound);
  const auto made = Cgroup::make(paths, next_cgroup_name(), limits, disks);
  if (!made) return made.error().message;
  made->clear(100);
  return "";
}

// The disks, and the writes that the bound does not cover.
std::string about_io(const std::vector<CgroupPath>& paths, const std::vector<Disk>& disks) {
  std::string names;
  for (const auto& disk : disks) names += (names.empty() ? "" : ", ") + disk.name;
  if (names.empty()) return "nothing that it sees is on a disk";
  const bool unified = std::ranges::any_of(paths, [](const CgroupPath& base) {
    return std::ranges::find(base.controllers, "io") != base.controllers.end();
  });
  return unified ? names
                 : names + "; cgroups of version 1 do not slow what is written through memory";
}

// Tries every bound at once, to find out which hold.
void find_bounds(const Settings& settings, std::vector<Finding>& findings) {
  Limits lenient = settings.limits;
  lenient.not_required = bounds_of(lenient);
  const auto& paths = prepared_cgroup_paths();
  const auto disks = disks_of(settings);
  auto made = Cgroup::make(paths, next_cgroup_name(), lenient, disks);
  if (made) made->clear(100);
  for (const Bound bound : bounds_of(lenient)) {
    Finding finding{fmt::format("limit {}", name_of(bound))};
    finding.good = made && made->holds(bound);
    finding.needed = !has(settings.limits.not_required, bound);
    if (!finding.good) finding.detail = why_not(paths, settings.limits, disks, bound);
    if (finding.good && bound == Bound::io) finding.detail = about_io(paths, *disks);
    findings.push_back(std::move(finding));
  }
  if (!settings.limits.io.any()) {
    findings.push_back({"limit io", false, "`limits.io` bounds nothing", false});
  }
}

}  // namespace

std::vector<Finding> examine(const Settings& settings) {
  std::vector<Finding> findings{find_bubblewrap(settings)};
  const bool shares = !settings.read.empty() || !settings.write.empty() || !settings.user.empty() ||
                      !settings.egress.empty();
  if (findings.front().good && shares) findings.push_back(find_shares(settings));
  findings.push_back(find_namespaces());
  find_apparmor(findings);
  findings.push_back(find_clocks());
  findings.push_back(find_filter());
  findings.push_back(find_openat2());
  find_bounds(settings, findings);
  findings.push_back(find_landlock());
  return findings;
}

Result<void> can_isolate(const Settings& settings) {
  std::string first;
  std::string others;
  for (const auto& finding : examine(settings)) {
    if (finding.good || !finding.needed) continue;
    if (first.empty()) {
      first = fmt::format("{}: {}", finding.name, finding.detail);
    } else {
      others += (others.empty() ? "" : ", ") + finding.name;
    }
  }
  if (first.empty()) return ok();
  if (!others.empty()) first += fmt::format(". Also missing: {}; see `patchbay doctor`", others);
  return Error{Code::unavailable, std::move(first)};
}

}  // namespace patchbay::sandbox
