// A name for a process that no later process has, though it may get the same number: for what is
// called after its owner, so that whoever finds it can tell whether the owner still lives.
//
// Usable from any thread; reads /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay::sandbox {

// Where it has its number (a pid namespace), the number and its beginning, such as
// `4026531836-4711-90210`.
std::string process_mark(pid_t process);

enum class Owner : std::uint8_t {
  lives,
  dead,
  unknown,  // Its numbers are not ours, as in another container; or the name is none of these.
};

// The owner of what is called by a mark, a `-` and more.
Owner owner_of(std::string_view name);

}  // namespace patchbay::sandbox
