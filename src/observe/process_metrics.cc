#include "observe/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

namespace patchbay::metrics {
namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double cpu_seconds() {
  rusage used{};
  if (::getrusage(RUSAGE_SELF, &used) != 0) return 0;
  return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

double open_descriptors() {
  std::error_code fault;
  double count = 0;
  std::filesystem::directory_iterator one("/proc/self/fd", fault);
  for (; !fault && one != std::filesystem::directory_iterator(); one.increment(fault)) ++count;
  if (fault) return 0;
  // One of them is that of the folder itself.
  return count - 1;
}

double max_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return static_cast<double>(limit.rlim_cur);
}

// A field of /proc/self/stat, counted from 1. REQUIRES: it is after the name of the program.
double stat_field(int number) {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  // The name may contain anything, and ends at the last parenthesis; the state is field 3.
  std::size_t at = text.rfind(')');
  if (at == std::string::npos) return 0;
  for (int field = 2; field < number; ++field) {
    at = text.find(' ', at + 1);
    if (at == std::string::npos) return 0;
  }
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data() + at + 1, text.data() + text.size(), value);
  return fault == std::errc() ? value : 0;
}

// When the process started: its age is known in ticks since the machine did.
double start_time() {
  constexpr int kStartTime = 22;
  timespec boot{};
  timespec now{};
  if (::clock_gettime(CLOCK_BOOTTIME, &boot) != 0) return 0;
  if (::clock_gettime(CLOCK_REALTIME, &now) != 0) return 0;
  const auto whole = [](const timespec& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
  };
  const double ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return whole(now) - whole(boot) + stat_field(kStartTime) / ticks;
}

double virtual_bytes() {
  constexpr int kVirtualSize = 23;
  return stat_field(kVirtualSize);
}

double resident_size() {
  constexpr int kResidentPages = 24;
  return stat_field(kResidentPages) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

void watch_process(Registry& registry) {
  registry.watch_counter("process_cpu_seconds_total", "CPU time used, user and system.",
                         cpu_seconds);
  registry.watch_gauge("process_open_fds", "Open file descriptors.", open_descriptors);
  registry.watch_gauge("process_max_fds", "Maximum number of open file descriptors.",
                       max_descriptors);
  registry.watch_gauge("process_resident_memory_bytes", "Resident memory.", resident_size);
  registry.watch_gauge("process_virtual_memory_bytes", "Virtual memory.", virtual_bytes);
  registry.watch_gauge("patchbay_resident_memory_bytes",
                       "Resident memory; the same as process_resident_memory_bytes.",
                       resident_size);
  // Read once: clocks that are set later would move it.
  registry.watch_gauge("process_start_time_seconds", "When the process started, since 1970.",
                       [start = start_time()] { return start; });
}

}  // namespace patchbay::metrics
