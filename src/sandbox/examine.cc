#include "sandbox/examine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "core/text.h"
#include "net/fd.h"
#include "sandbox/small_files.h"

namespace patchbay::sandbox {
namespace {

bool has(const std::vector<Bound>& bounds, Bound one) {
  return std::ranges::find(bounds, one) != bounds.end();
}

std::string_view name_of(Bound bound) {
  return config::choices<Bound>[static_cast<std::size_t>(bound)].name;
}

Finding find_bubblewrap(Settings settings) {
  settings.read.clear();
  settings.write.clear();
  settings.user.clear();
  settings.egress.clear();
  const auto spec = spec_of(settings, {});
  return {"bubblewrap", static_cast<bool>(spec), spec ? spec->bwrap : spec.error().message};
}

// What is shared, and with whom; what it may reach.
Finding find_shares(const Settings& settings) {
  const auto spec = spec_of(settings, {});
  return {"what is shared", static_cast<bool>(spec), spec ? "" : spec.error().message};
}

Finding find_namespaces() {
  // Both are there only on kernels that can forbid them.
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

Finding find_filter() {
  if (::access("/proc/sys/kernel/seccomp", F_OK) != 0) {
    return {"seccomp", false, "this kernel has no filters of system calls"};
  }
  return {"seccomp", true};
}

Finding find_openat2() {
  open_how how{};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH;
  const net::Fd folder(static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, ".", &how, sizeof how)));
  if (!folder) return {"openat2", false, "this kernel is older than 5.6"};
  return {"openat2", true};
}

Finding find_landlock() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1);
  if (version < 0) return {"landlock", false, "not in this kernel; the rest holds", false};
  return {"landlock", true, fmt::format("version {}", version), false};
}

constexpr std::array kBounds{Bound::memory, Bound::swap, Bound::pids, Bound::cpu};

// What is said when nothing but `bound` is required.
std::string why_not(const std::vector<CgroupPlace>& places, Limits limits, Bound bound) {
  limits.not_required.clear();
  std::ranges::copy_if(kBounds, std::back_inserter(limits.not_required),
                       [bound](Bound other) { return other != bound; });
  const auto made = Cgroup::make(places, next_cgroup_name(), limits);
  if (!made) return made.error().message;
  made->clear(100);
  return "";
}

// Tries every bound at once; what holds is known afterwards.
void find_bounds(const Limits& limits, std::vector<Finding>& findings) {
  Limits lenient = limits;
  lenient.not_required.assign(kBounds.begin(), kBounds.end());
  const auto& places = prepared_places();
  auto made = Cgroup::make(places, next_cgroup_name(), lenient);
  std::vector<Bound> held;
  if (made) {
    held = made->bounds();
    made->clear(100);
  }
  for (const Bound bound : kBounds) {
    Finding finding{fmt::format("limit {}", name_of(bound))};
    finding.good = has(held, bound);
    finding.needed = !has(limits.not_required, bound);
    if (!finding.good) finding.detail = why_not(places, limits, bound);
    findings.push_back(std::move(finding));
  }
}

}  // namespace

std::vector<Finding> examine(const Settings& settings) {
  std::vector<Finding> findings{find_bubblewrap(settings)};
  const bool shares = !settings.read.empty() || !settings.write.empty() || !settings.user.empty() ||
                      !settings.egress.empty();
  if (findings.front().good && shares) findings.push_back(find_shares(settings));
  findings.push_back(find_namespaces());
  findings.push_back(find_filter());
  findings.push_back(find_openat2());
  find_bounds(settings.limits, findings);
  findings.push_back(find_landlock());
  return findings;
}

Result<void> can_isolate(const Settings& settings) {
  for (const auto& finding : examine(settings)) {
    if (finding.needed && !finding.good) {
      return Error{Code::unavailable, fmt::format("{}: {}", finding.name, finding.detail)};
    }
  }
  return ok();
}

}  // namespace patchbay::sandbox
