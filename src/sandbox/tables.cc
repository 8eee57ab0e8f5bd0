#include "sandbox/limits.h"

#include "config/fields.h"
#include "sandbox/egress.h"
#include "sandbox/settings.h"

namespace patchbay {

template <>
const config::Fields& config::fields<sandbox::IoLimits>() {
  static const Fields kFields = fields_of<sandbox::IoLimits>({
      {"max_read_bps", &sandbox::IoLimits::read,
       "Maximum number of bytes read per second from each disk. 0: no limit.",
       Range{Bytes{0}, Bytes{std::uint64_t{1} << 40}}, Alias{"read"}},
      {"max_write_bps", &sandbox::IoLimits::write,
       "Maximum number of bytes written per second to each disk. 0: no limit.",
       Range{Bytes{0}, Bytes{std::uint64_t{1} << 40}}, Alias{"write"}},
      {"max_read_iops", &sandbox::IoLimits::reads,
       "Maximum number of reads per second from each disk. 0: no limit.", Range{0, 100'000'000},
       Alias{"reads"}},
      {"max_write_iops", &sandbox::IoLimits::writes,
       "Maximum number of writes per second to each disk. 0: no limit.", Range{0, 100'000'000},
       Alias{"writes"}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<sandbox::Limits>() {
  static const Fields kFields = fields_of<sandbox::Limits>({
      {"max_memory", &sandbox::Limits::memory,
       "Maximum memory of all processes and files together. Nothing is swapped.",
       Range{Bytes{16 << 20}, Bytes{std::uint64_t{1} << 40}}, Alias{"memory"}},
      {"max_pids", &sandbox::Limits::pids, "Maximum number of processes and threads.",
       Range{1, 100'000}, Alias{"pids"}},
      {"max_cpus", &sandbox::Limits::cpu, "Maximum number of processors; 0.5 is half of one.",
       Range{0.01, 1024.0}, Alias{"cpu"}},
      {"io", &sandbox::Limits::io, "Limits of disk throughput."},
      {"cpu_timeout", &sandbox::Limits::cpu_time,
       "Maximum processor time of each process. 0: no limit.",
       Range{Duration(0), Duration(86'400'000)}, Alias{"cpu_time"}},
      {"max_disk_size", &sandbox::Limits::disk,
       "Maximum total size of written files. They are in memory and deleted with the sandbox.",
       Range{Bytes{1 << 20}, Bytes{std::uint64_t{1} << 40}}, Alias{"disk"}},
      {"max_files", &sandbox::Limits::files, "Maximum number of files and folders.",
       Range{16, 100'000'000}, Alias{"files"}},
      {"max_open_files", &sandbox::Limits::open_files,
       "Maximum number of open file descriptors per process.", Range{16, 1'048'576},
       Alias{"open_files"}},
      {"max_address_space_size", &sandbox::Limits::address_space,
       "Maximum address space per process, used or not.",
       Range{Bytes{64 << 20}, Bytes{std::uint64_t{1} << 46}}, Alias{"address_space"}},
      {"not_required", &sandbox::Limits::not_required,
       "Limits without which the sandbox may run on a machine that does not support them."},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<sandbox::EgressLimits>() {
  static const Fields kFields = fields_of<sandbox::EgressLimits>({
      {"max_connections", &sandbox::EgressLimits::connections,
       "Maximum number of connections per sandbox. Further ones are answered with 503.",
       Range{1, 10'000}, Alias{"connections"}},
      {"connect_timeout", &sandbox::EgressLimits::connect_time,
       "Maximum time to receive a proxy request, and again to resolve the name and connect.",
       Range{Duration(10), Duration(600'000)}, Alias{"connect_time"}},
      {"idle_timeout", &sandbox::EgressLimits::idle,
       "Time without traffic after which a connection is closed.",
       Range{Duration(10), Duration(86'400'000)}, Alias{"idle"}},
      {"half_open_timeout", &sandbox::EgressLimits::half_open,
       "Time without traffic after which a half-closed connection is closed; at most "
       "`idle_timeout`.",
       Range{Duration(10), Duration(86'400'000)}, Alias{"half_open"}},
  });
  return kFields;
}

template <>
const config::Fields& config::fields<sandbox::Settings>() {
  static const Fields kFields = fields_of<sandbox::Settings>({
      {"read", &sandbox::Settings::read,
       "Files and folders of the machine that are visible read-only, at the same path."},
      {"write", &sandbox::Settings::write,
       "Files and folders of the machine that are visible and writable, at the same path."},
      {"network", &sandbox::Settings::network,
       "none: only a private loopback. host: the machine's network."},
      {"egress", &sandbox::Settings::egress,
       "Destinations reachable through a proxy of the gateway, without a network: host:port, "
       "host (443 and 80), *.domain. Addresses of this machine and of private networks are "
       "reachable only if an entry is that address."},
      {"egress_limits", &sandbox::Settings::egress_limits,
       "Limits of the connections through that proxy."},
      {"root", &sandbox::Settings::root,
       "Folder with another system's /usr, /bin, /lib…. Empty: the programs of this machine."},
      {"user", &sandbox::Settings::user,
       "User outside the sandbox, by name or number, if the gateway runs as root. Empty: one "
       "that owns nothing."},
      {"bwrap", &sandbox::Settings::bwrap, "Program bubblewrap: a path, or a name found in PATH."},
      {"limits", &sandbox::Settings::limits, "Resource limits."},
  });
  return kFields;
}

}  // namespace patchbay
