// Limits on a sandboxed program's use of the machine. Most are enforced twice: by resource limits
// of each process and by a cgroup around all of them.
//
// Values only.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "config/settings.h"

namespace patchbay::sandbox {

// The bounds that a cgroup sets. If one cannot be set on this machine, the sandbox is refused,
// unless the bound is configured as not required.
enum class Bound : std::uint8_t { memory, swap, pids, cpu, io };

// Limits per disk and second, in bytes and in operations; 0: unlimited. The default is what a
// common cloud disk does, so that one sandbox does not saturate a faster one.
struct IoLimits {
  config::Bytes read{64 << 20};
  config::Bytes write{64 << 20};
  int reads = 2'000;
  int writes = 2'000;

  bool any() const { return read.value > 0 || write.value > 0 || reads > 0 || writes > 0; }
};

struct Limits {
  config::Bytes memory{256 << 20};
  int pids = 64;
  double cpu = 1;
  IoLimits io;
  config::Duration cpu_time{0};
  config::Bytes disk{64 << 20};
  int files = 10'000;
  int open_files = 1'024;
  config::Bytes address_space{std::uint64_t{64} << 30};
  std::vector<Bound> not_required;
};

// The bounds that a cgroup must set for these limits.
inline std::vector<Bound> bounds_of(const Limits& limits) {
  std::vector bounds{Bound::memory, Bound::swap, Bound::pids, Bound::cpu};
  if (limits.io.any()) bounds.push_back(Bound::io);
  return bounds;
}

}  // namespace patchbay::sandbox

namespace patchbay {

template <>
inline constexpr auto config::choices<sandbox::Bound> = std::array{
    Choice{"memory", sandbox::Bound::memory}, Choice{"swap", sandbox::Bound::swap},
    Choice{"pids", sandbox::Bound::pids},     Choice{"cpu", sandbox::Bound::cpu},
    Choice{"io", sandbox::Bound::io},
};

template <>
const config::Fields& config::fields<sandbox::IoLimits>();

template <>
const config::Fields& config::fields<sandbox::Limits>();

}  // namespace patchbay

namespace patchbay::sandbox {

// Its name in the configuration.
constexpr std::string_view name_of(Bound bound) {
  return config::choices<Bound>[static_cast<std::size_t>(bound)].name;
}

}  // namespace patchbay::sandbox
