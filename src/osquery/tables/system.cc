// system_info, os_version, kernel_info, uptime, time: facts about the machine.
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <climits>

#include "osquery/files.h"
#include "osquery/tables/all.h"
#include "osquery/tables/system_facts.h"
#include "osquery/text.h"

namespace patchbay::osquery {
namespace {

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

utsname kernel() {
  utsname names{};
  ::uname(&names);
  return names;
}

namespace system {
enum {
  hostname,
  uuid,
  cpu_type,
  cpu_subtype,
  cpu_brand,
  cpu_physical_cores,
  cpu_logical_cores,
  cpu_sockets,
  cpu_microcode,
  physical_memory,
  hardware_vendor,
  hardware_model,
  hardware_version,
  hardware_serial,
  board_vendor,
  board_model,
  board_version,
  board_serial,
  computer_name,
  local_hostname
};
}
constexpr std::array kSystemColumns{
    Column{"hostname", Type::text},
    Column{"uuid", Type::text},
    Column{"cpu_type", Type::text},
    Column{"cpu_subtype", Type::text},
    Column{"cpu_brand", Type::text},
    Column{"cpu_physical_cores", Type::integer},
    Column{"cpu_logical_cores", Type::integer},
    Column{"cpu_sockets", Type::integer},
    Column{"cpu_microcode", Type::text},
    Column{"physical_memory", Type::bigint},
    Column{"hardware_vendor", Type::text},
    Column{"hardware_model", Type::text},
    Column{"hardware_version", Type::text},
    Column{"hardware_serial", Type::text},
    Column{"board_vendor", Type::text},
    Column{"board_model", Type::text},
    Column{"board_version", Type::text},
    Column{"board_serial", Type::text},
    Column{"computer_name", Type::text},
    Column{"local_hostname", Type::text},
};

// The firmware's information, by its file in /sys/class/dmi/id.
struct Firmware {
  int column;
  const char* file;
};
constexpr std::array kFirmware{
    Firmware{system::hardware_vendor, "sys_vendor"},
    Firmware{system::hardware_model, "product_name"},
    Firmware{system::hardware_version, "product_version"},
    Firmware{system::hardware_serial, "product_serial"},
    Firmware{system::board_vendor, "board_vendor"},
    Firmware{system::board_model, "board_name"},
    Firmware{system::board_version, "board_version"},
    Firmware{system::board_serial, "board_serial"},
};

void set_processors(Scan& scan) {
  const auto processors = parse_cpuinfo(read_file(scan.machine().path("/proc/cpuinfo")));
  int cores = 0;
  int threads = 0;
  for (const auto& one : processors) {
    cores += one.cores;
    threads += one.threads;
  }
  scan.set(system::cpu_physical_cores, cores);
  scan.set(system::cpu_logical_cores, threads);
  scan.set(system::cpu_sockets, static_cast<std::int64_t>(processors.size()));
  if (processors.empty()) return;
  scan.set(system::cpu_subtype, processors.front().model_number);
  scan.set(system::cpu_brand, processors.front().model);
  scan.set(system::cpu_microcode, processors.front().microcode);
}

Result<void> read_system(Scan& scan) {
  if (!scan.row()) return ok();
  const std::string name = host_name();
  scan.set(system::hostname, name);
  scan.set(system::computer_name, name);
  scan.set(system::local_hostname, name);
  if (scan.needs(system::uuid)) scan.set(system::uuid, machine_uuid(scan.machine()));
  scan.set(system::cpu_type, kernel().machine);
  if (scan.needs(system::cpu_subtype, system::cpu_brand, system::cpu_physical_cores,
                 system::cpu_logical_cores, system::cpu_sockets, system::cpu_microcode)) {
    set_processors(scan);
  }
  scan.set(system::physical_memory, ::sysconf(_SC_PHYS_PAGES) * ::sysconf(_SC_PAGESIZE));
  for (const auto& [column, file] : kFirmware) {
    if (scan.needs(column)) {
      scan.set(column, read_line(scan.machine().path("/sys/class/dmi/id/") + file));
    }
  }
  return ok();
}

namespace version {
enum { name, version, major, minor, patch, build, platform, platform_like, codename, arch };
}
constexpr std::array kVersionColumns{
    Column{"name", Type::text},     Column{"version", Type::text},
    Column{"major", Type::integer}, Column{"minor", Type::integer},
    Column{"patch", Type::integer}, Column{"build", Type::text},
    Column{"platform", Type::text}, Column{"platform_like", Type::text},
    Column{"codename", Type::text}, Column{"arch", Type::text},
};

Result<void> read_version(Scan& scan) {
  std::string text = read_file(scan.machine().path("/etc/os-release"));
  if (text.empty()) text = read_file(scan.machine().path("/usr/lib/os-release"));
  if (!scan.row()) return ok();
  scan.set(version::name, value_of(text, "NAME"));
  scan.set(version::version, value_of(text, "VERSION"));
  const std::string id = value_of(text, "VERSION_ID");
  std::string_view rest = id;
  for (const int column : {version::major, version::minor, version::patch}) {
    scan.set(column, number_or(take_until(rest, '.'), 0));
  }
  scan.set(version::build, value_of(text, "BUILD_ID"));
  scan.set(version::platform, value_of(text, "ID"));
  scan.set(version::platform_like, value_of(text, "ID_LIKE"));
  scan.set(version::codename, value_of(text, "VERSION_CODENAME"));
  scan.set(version::arch, kernel().machine);
  return ok();
}

namespace kern {
enum { version, arguments, path, device };
}
constexpr std::array kKernelColumns{
    Column{"version", Type::text},
    Column{"arguments", Type::text},
    Column{"path", Type::text},
    Column{"device", Type::text},
};

Result<void> read_kernel(Scan& scan) {
  if (!scan.row()) return ok();
  scan.set(kern::version, kernel().release);
  const std::string line = read_line(scan.machine().path("/proc/cmdline"));
  std::string arguments;
  std::string_view rest = line;
  for (auto field = take_field(rest); !field.empty(); field = take_field(rest)) {
    if (field.starts_with("BOOT_IMAGE=")) {
      scan.set(kern::path, field.substr(field.find('=') + 1));
    } else if (field.starts_with("root=")) {
      scan.set(kern::device, field.substr(field.find('=') + 1));
    } else {
      arguments += (arguments.empty() ? "" : " ") + std::string(field);
    }
  }
  scan.set(kern::arguments, arguments);
  return ok();
}

namespace up {
enum { days, hours, minutes, seconds, total_seconds };
}
constexpr std::array kUptimeColumns{
    Column{"days", Type::integer},         Column{"hours", Type::integer},
    Column{"minutes", Type::integer},      Column{"seconds", Type::integer},
    Column{"total_seconds", Type::bigint},
};

Result<void> read_uptime(Scan& scan) {
  const std::string line = read_line(scan.machine().path("/proc/uptime"));
  const std::int64_t total = number_or(std::string_view(line).substr(0, line.find('.')), 0);
  if (!scan.row()) return ok();
  scan.set(up::days, total / 86'400);
  scan.set(up::hours, total / 3'600 % 24);
  scan.set(up::minutes, total / 60 % 60);
  scan.set(up::seconds, total % 60);
  scan.set(up::total_seconds, total);
  return ok();
}

namespace now {
enum {
  weekday,
  year,
  month,
  day,
  hour,
  minutes,
  seconds,
  timezone,
  local_timezone,
  unix_time,
  timestamp,
  datetime,
  iso_8601
};
}
constexpr std::array kTimeColumns{
    Column{"weekday", Type::text},        Column{"year", Type::integer},
    Column{"month", Type::integer},       Column{"day", Type::integer},
    Column{"hour", Type::integer},        Column{"minutes", Type::integer},
    Column{"seconds", Type::integer},     Column{"timezone", Type::text},
    Column{"local_timezone", Type::text}, Column{"unix_time", Type::integer},
    Column{"timestamp", Type::text},      Column{"datetime", Type::text},
    Column{"iso_8601", Type::text},
};

std::string formatted(const tm& time, const char* format) {
  std::array<char, 64> text{};
  return {text.data(), ::strftime(text.data(), text.size(), format, &time)};
}

Result<void> read_time(Scan& scan) {
  const time_t seconds = ::time(nullptr);
  tm utc{};
  tm local{};
  ::gmtime_r(&seconds, &utc);
  ::localtime_r(&seconds, &local);
  if (!scan.row()) return ok();
  scan.set(now::weekday, formatted(utc, "%A"));
  scan.set(now::year, utc.tm_year + 1900);
  scan.set(now::month, utc.tm_mon + 1);
  scan.set(now::day, utc.tm_mday);
  scan.set(now::hour, utc.tm_hour);
  scan.set(now::minutes, utc.tm_min);
  scan.set(now::seconds, utc.tm_sec);
  scan.set(now::timezone, "UTC");
  scan.set(now::local_timezone, local.tm_zone);
  scan.set(now::unix_time, seconds);
  scan.set(now::timestamp, formatted(utc, "%a %b %e %H:%M:%S %Y UTC"));
  scan.set(now::datetime, formatted(utc, "%Y-%m-%dT%H:%M:%SZ"));
  scan.set(now::iso_8601, formatted(utc, "%Y-%m-%dT%H:%M:%SZ"));
  return ok();
}

}  // namespace

constinit const Table kSystemInfo{"system_info", "The machine: its names, processors and memory.",
                                  kSystemColumns, read_system};
constinit const Table kOsVersion{"os_version", "The operating system and its version.",
                                 kVersionColumns, read_version};
constinit const Table kKernelInfo{"kernel_info", "The kernel that runs.", kKernelColumns,
                                  read_kernel};
constinit const Table kUptime{"uptime", "How long the machine has been up.", kUptimeColumns,
                              read_uptime};
constinit const Table kTime{"time", "The time now, in UTC.", kTimeColumns, read_time};

}  // namespace patchbay::osquery
