// Why a kernel that has a feature still refuses it, as a text for the person who runs the gateway.
// Pure.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::sandbox {

// Why openat2 has failed with `error`. `release` is that of uname, such as 6.1.0-18-amd64: a kernel
// that has the call answers ENOSYS if a filter of system calls forbids it, as systemd's does.
std::string openat2_fault(int error, std::string_view release);

// Why AppArmor may forbid user namespaces, or nothing. `restricted` is the value of
// kernel.apparmor_restrict_unprivileged_userns (Ubuntu 23.10 and later), `profile` that of
// /proc/self/attr/current. Root is not restricted.
std::string apparmor_fault(std::string_view restricted, std::string_view profile, bool root);

// The release of this kernel.
std::string kernel_release();

}  // namespace patchbay::sandbox
