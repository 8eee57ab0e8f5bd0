// cpu_info, cpu_time, load_average, memory_info: the hardware, and its load.
#include <fmt/format.h>

#include <array>

#include "osquery/files.h"
#include "osquery/tables/all.h"
#include "osquery/tables/proc.h"
#include "osquery/tables/system_facts.h"
#include "osquery/text.h"

namespace patchbay::osquery {
namespace {

namespace cpu {
enum {
  device_id,
  model,
  manufacturer,
  processor_type,
  cpu_status,
  number_of_cores,
  logical_processors,
  address_width,
  current_clock_speed,
  max_clock_speed,
  socket_designation
};
}
constexpr std::array kCpuColumns{
    Column{"device_id", Type::text},
    Column{"model", Type::text},
    Column{"manufacturer", Type::text},
    Column{"processor_type", Type::text},
    Column{"cpu_status", Type::integer},
    Column{"number_of_cores", Type::text},
    Column{"logical_processors", Type::integer},
    Column{"address_width", Type::text},
    Column{"current_clock_speed", Type::integer},
    Column{"max_clock_speed", Type::integer},
    Column{"socket_designation", Type::text},
};

constexpr int kEnabled = 1;                 // The firmware's codes for a status...
constexpr std::string_view kCentral = "3";  // ...and for a type.
constexpr std::int64_t kKilo = 1000;

Result<void> read_cpu(Scan& scan) {
  const auto processors = parse_cpuinfo(read_file(scan.machine().path("/proc/cpuinfo")));
  const std::string fastest =
      read_line(scan.machine().path("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"));
  for (std::size_t i = 0; i < processors.size(); ++i) {
    const Processor& one = processors[i];
    if (!scan.row()) return ok();
    scan.set(cpu::device_id, fmt::format("CPU{}", i));
    scan.set(cpu::model, one.model);
    scan.set(cpu::manufacturer, one.vendor);
    scan.set(cpu::processor_type, kCentral);
    scan.set(cpu::cpu_status, kEnabled);
    scan.set(cpu::number_of_cores, std::to_string(one.cores));
    scan.set(cpu::logical_processors, one.threads);
    scan.set(cpu::address_width, std::to_string(sizeof(void*) * 8));
    scan.set(cpu::current_clock_speed, one.megahertz);
    scan.set(cpu::max_clock_speed, fastest.empty() ? one.megahertz : number_or(fastest, 0) / kKilo);
    scan.set(cpu::socket_designation, fmt::format("CPU {}", i));
  }
  return ok();
}

// Column 0 is the core; the others are in the order of /proc/stat.
constexpr std::array kTimeColumns{
    Column{"core", Type::integer},      Column{"user", Type::bigint},
    Column{"nice", Type::bigint},       Column{"system", Type::bigint},
    Column{"idle", Type::bigint},       Column{"iowait", Type::bigint},
    Column{"irq", Type::bigint},        Column{"softirq", Type::bigint},
    Column{"steal", Type::bigint},      Column{"guest", Type::bigint},
    Column{"guest_nice", Type::bigint},
};

Result<void> read_cpu_time(Scan& scan) {
  each_line(read_file(scan.machine().path("/proc/stat")), [&](std::string_view line) {
    if (!line.starts_with("cpu")) return;
    const auto core = number<std::int64_t>(take_field(line).substr(3));
    if (!core || !scan.row()) return;  // Without a number it is the sum of all.
    scan.set(0, *core);
    for (int i = 1; i < static_cast<int>(kTimeColumns.size()); ++i) {
      scan.set(i, number_or(take_field(line), 0));
    }
  });
  return ok();
}

namespace load {
enum { period, average };
}
constexpr std::array kLoadColumns{
    Column{"period", Type::text},
    Column{"average", Type::text},
};

Result<void> read_load(Scan& scan) {
  const std::string line = read_line(scan.machine().path("/proc/loadavg"));
  std::string_view rest = line;
  for (const std::string_view period : {"1m", "5m", "15m"}) {
    if (!scan.row()) return ok();
    scan.set(load::period, period);
    scan.set(load::average, take_field(rest));
  }
  return ok();
}

constexpr std::array kMemoryColumns{
    Column{"memory_total", Type::bigint},     Column{"memory_free", Type::bigint},
    Column{"memory_available", Type::bigint}, Column{"buffers", Type::bigint},
    Column{"cached", Type::bigint},           Column{"swap_cached", Type::bigint},
    Column{"active", Type::bigint},           Column{"inactive", Type::bigint},
    Column{"swap_total", Type::bigint},       Column{"swap_free", Type::bigint},
};

// The names in /proc/meminfo, in the order of the columns.
constexpr std::array<std::string_view, kMemoryColumns.size()> kMemoryKeys{
    "MemTotal",   "MemFree", "MemAvailable", "Buffers",   "Cached",
    "SwapCached", "Active",  "Inactive",     "SwapTotal", "SwapFree"};

Result<void> read_memory(Scan& scan) {
  const std::string text = read_file(scan.machine().path("/proc/meminfo"));
  if (!scan.row()) return ok();
  for (std::size_t i = 0; i < kMemoryKeys.size(); ++i) {
    std::string_view value = status_value(text, kMemoryKeys[i]);  // `16384 kB`
    scan.set(static_cast<int>(i), number_or(take_field(value), 0) * 1024);
  }
  return ok();
}

}  // namespace

constinit const Table kCpuInfo{"cpu_info", "The processors, one row a socket.", kCpuColumns,
                               read_cpu};
constinit const Table kCpuTime{"cpu_time", "The time of each core by use, in ticks.", kTimeColumns,
                               read_cpu_time};
constinit const Table kLoadAverage{"load_average", "The average number of runnable processes.",
                                   kLoadColumns, read_load};
constinit const Table kMemoryInfo{"memory_info", "The main memory and its use, in bytes.",
                                  kMemoryColumns, read_memory};

}  // namespace patchbay::osquery
