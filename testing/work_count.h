// Counts the work of code that is compiled with -fsanitize-coverage=trace-pc: one for each executed
// edge between basic blocks, and one for each 16 bytes that memcpy and similar functions process.
// The same input always costs the same, on any machine and under any load.
//
// One thread.
#pragma once

#include <cstdint>

namespace patchbay::testing {

// The work done so far.
std::uint64_t work_count();

}  // namespace patchbay::testing
