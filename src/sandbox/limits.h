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
    Field{"max_read_bps", &sandbox::IoLimits::read,
          "Maximum number of bytes read per second from each disk. 0: no limit.",
          Range{Bytes{0}, Bytes{std::uint64_t{1} << 40}}, Alias{"read"}},
    Field{"max_write_bps", &sandbox::IoLimits::write,
          "Maximum number of bytes written per second to each disk. 0: no limit.",
          Range{Bytes{0}, Bytes{std::uint64_t{1} << 40}}, Alias{"write"}},
    Field{"max_read_iops", &sandbox::IoLimits::reads,
          "Maximum number of reads per second from each disk. 0: no limit.", Range{0, 100'000'000},
          Alias{"reads"}},
    Field{"max_write_iops", &sandbox::IoLimits::writes,
          "Maximum number of writes per second to each disk. 0: no limit.", Range{0, 100'000'000},
          Alias{"writes"}},
};

template <>
inline constexpr auto config::fields<sandbox::Limits> = std::tuple{
    Field{"max_memory", &sandbox::Limits::memory,
          "Maximum memory of all processes and files together. Nothing is swapped.",
          Range{Bytes{16 << 20}, Bytes{std::uint64_t{1} << 40}}, Alias{"memory"}},
    Field{"max_pids", &sandbox::Limits::pids, "Maximum number of processes and threads.",
          Range{1, 100'000}, Alias{"pids"}},
    Field{"max_cpus", &sandbox::Limits::cpu, "Maximum number of processors; 0.5 is half of one.",
          Range{0.01, 1024.0}, Alias{"cpu"}},
    Field{"io", &sandbox::Limits::io, "Limits of disk throughput."},
    Field{"cpu_timeout", &sandbox::Limits::cpu_time,
          "Maximum processor time of each process. 0: no limit.",
          Range{Duration(0), Duration(86'400'000)}, Alias{"cpu_time"}},
    Field{"max_disk_size", &sandbox::Limits::disk,
          "Maximum total size of written files. They are in memory and deleted with the sandbox.",
          Range{Bytes{1 << 20}, Bytes{std::uint64_t{1} << 40}}, Alias{"disk"}},
    Field{"max_files", &sandbox::Limits::files, "Maximum number of files and folders.",
          Range{16, 100'000'000}, Alias{"files"}},
    Field{"max_open_files", &sandbox::Limits::open_files,
          "Maximum number of open file descriptors per process.", Range{16, 1'048'576},
          Alias{"open_files"}},
    Field{"max_address_space_size", &sandbox::Limits::address_space,
          "Maximum address space per process, used or not.",
          Range{Bytes{64 << 20}, Bytes{std::uint64_t{1} << 46}}, Alias{"address_space"}},
    Field{"not_required", &sandbox::Limits::not_required,
          "Limits without which the sandbox may run on a machine that does not support them."},
};

}  // namespace patchbay

namespace patchbay::sandbox {

// As it is called in the configuration.
constexpr std::string_view name_of(Bound bound) {
  return config::choices<Bound>[static_cast<std::size_t>(bound)].name;
}

}  // namespace patchbay::sandbox
