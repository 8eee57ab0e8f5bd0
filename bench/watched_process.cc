#include "bench/watched_process.h"

#include <fmt/format.h>
#include <time.h>

#include <fstream>
#include <string>

namespace patchbay::bench {

std::int64_t cpu_nanoseconds(int pid) {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
  return used.tv_sec * 1'000'000'000 + used.tv_nsec;
}

std::int64_t resident_kib(int pid) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  std::string field;
  while (status >> field) {
    if (field != "VmRSS:") continue;
    std::int64_t kib = 0;
    status >> kib;
    return kib;
  }
  return 0;
}

}  // namespace patchbay::bench
