// The resource use of another process, as the kernel counts it: CPU of all its threads, and memory.

#pragma once

#include <cstdint>

namespace patchbay::bench {

// User and system time of all threads of `pid`, ended ones included; its children are not in it.
// The process's own CPU clock: the sum of utime and stime of /proc/PID/stat, in nanoseconds rather
// than in ticks of 10 ms. 0 when there is no such process.
std::int64_t cpu_nanoseconds(int pid);

// VmRSS of /proc/PID/status; 0 when there is no such process.
std::int64_t resident_kib(int pid);

}  // namespace patchbay::bench
