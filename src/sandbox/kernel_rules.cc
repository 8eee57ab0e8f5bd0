#include "sandbox/kernel_rules.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

namespace patchbay::sandbox {
namespace {

constexpr std::pair kFirstWithOpenat2{5, 6};

// Major and minor number; 0 where there is none.
std::pair<int, int> numbers_of(std::string_view release) {
  std::pair<int, int> numbers{};
  const char* const end = release.data() + release.size();
  const auto [dot, fault] = std::from_chars(release.data(), end, numbers.first);
  if (fault == std::errc() && dot != end && *dot == '.') {
    std::from_chars(dot + 1, end, numbers.second);
  }
  return numbers;
}

}  // namespace

std::string openat2_fault(int error, std::string_view release) {
  if (error == ENOSYS && numbers_of(release) < kFirstWithOpenat2) {
    return fmt::format("this kernel ({}) is older than 5.6", release);
  }
  if (error == ENOSYS || error == EPERM) {
    return "a filter of system calls forbids it; under systemd, RestrictSUIDSGID=no and "
           "DynamicUser=no allow it (see sandbox.conf), in a container its seccomp profile";
  }
  return std::strerror(error);
}

std::string apparmor_fault(std::string_view restricted, std::string_view profile, bool root) {
  if (root || restricted != "1" || profile != "unconfined") return {};
  return "kernel.apparmor_restrict_unprivileged_userns is 1, and this program has no AppArmor "
         "profile: it may not make user namespaces. The Debian package installs a profile; "
         "otherwise copy share/patchbay/apparmor/patchbay to /etc/apparmor.d/, change the path in "
         "it, and run apparmor_parser -r /etc/apparmor.d/patchbay";
}

std::string kernel_release() {
  utsname names{};
  return ::uname(&names) == 0 ? names.release : "";
}

}  // namespace patchbay::sandbox
