// A name for a process that no later process has, even with the same pid. Files are named after
// their owner, so that a later sweep can determine whether the owner is still running.
//
// Usable from any thread; reads /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay::sandbox {

// The pid namespace, the pid and the start time, such as `4026531836-4711-90210`.
std::string process_mark(pid_t process);

enum class Owner : std::uint8_t {
  running,
  dead,
  unknown,  // Of another pid namespace, as in another container; or not such a name.
};

// The owner of a file named by a mark, a `-` and more.
Owner owner_of(std::string_view name);

}  // namespace patchbay::sandbox
