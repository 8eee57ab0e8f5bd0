// What a sandboxed program may use of the machine. Most bounds are set twice: by resource limits of
// each process and by a cgroup around all of them.
//
// Values only.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "config/fields.h"

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

// The bounds that a cgroup is to set for these limits.
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
inline constexpr auto config::fields<sandbox::IoLimits> = std::tuple{
    Field{"read", &sandbox::IoLimits::read,
          "Bytes read from each disk in a second; 0: not bounded.",
          Range{Bytes{0}, Bytes{std::uint64_t{1} << 40}}},
    Field{"write", &sandbox::IoLimits::write,
          "Bytes written to each disk in a second; 0: not bounded.",
          Range{Bytes{0}, Bytes{std::uint64_t{1} << 40}}},
    Field{"reads", &sandbox::IoLimits::reads, "Reads from each disk in a second; 0: not bounded.",
          Range{0, 100'000'000}},
    Field{"writes", &sandbox::IoLimits::writes, "Writes to each disk in a second; 0: not bounded.",
          Range{0, 100'000'000}},
};

template <>
inline constexpr auto config::fields<sandbox::Limits> = std::tuple{
    Field{"memory", &sandbox::Limits::memory,
          "Memory of all its processes and files together; nothing of it is swapped.",
          Range{Bytes{16 << 20}, Bytes{std::uint64_t{1} << 40}}},
    Field{"pids", &sandbox::Limits::pids, "Processes and threads at once.", Range{1, 100'000}},
    Field{"cpu", &sandbox::Limits::cpu, "Processors' worth of time; 0.5 is half of one.",
          Range{0.01, 1024.0}},
    Field{"io", &sandbox::Limits::io, "How fast it may read and write the machine's disks."},
    Field{"cpu_time", &sandbox::Limits::cpu_time,
          "Processor time of each of its processes; 0: not bounded.",
          Range{Duration(0), Duration(86'400'000)}},
    Field{"disk", &sandbox::Limits::disk,
          "All files it writes, in memory; they are gone when it ends.",
          Range{Bytes{1 << 20}, Bytes{std::uint64_t{1} << 40}}},
    Field{"files", &sandbox::Limits::files, "How many files and folders these may be.",
          Range{16, 100'000'000}},
    Field{"open_files", &sandbox::Limits::open_files, "Open descriptors of each process.",
          Range{16, 1'048'576}},
    Field{"address_space", &sandbox::Limits::address_space,
          "Addresses that each process may map, used or not.",
          Range{Bytes{64 << 20}, Bytes{std::uint64_t{1} << 46}}},
    Field{"not_required", &sandbox::Limits::not_required,
          "Bounds without which it may run on a machine where they cannot be set."},
};

}  // namespace patchbay

namespace patchbay::sandbox {

// As it is called in the configuration.
constexpr std::string_view name_of(Bound bound) {
  return config::choices<Bound>[static_cast<std::size_t>(bound)].name;
}

}  // namespace patchbay::sandbox
