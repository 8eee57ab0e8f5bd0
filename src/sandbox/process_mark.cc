#include "sandbox/process_mark.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string_view>

#include "sandbox/small_files.h"

namespace patchbay::sandbox {
namespace {

// When a process began, in the kernel's own count; 0 if there is none.
std::uint64_t beginning_of(pid_t process) {
  const auto text = read_small(fmt::format("/proc/{}/stat", process));
  if (!text) return 0;
  // The name in brackets may hold anything; the 22nd field is the 20th after it.
  std::string_view at = *text;
  const auto bracket = at.rfind(')');
  if (bracket == std::string_view::npos) return 0;
  at.remove_prefix(bracket + 1);
  for (int field = 0; field < 20; ++field) {
    const auto space = at.find(' ');
    if (space == std::string_view::npos) return 0;
    at.remove_prefix(space + 1);
  }
  std::uint64_t value = 0;
  std::from_chars(at.data(), at.data() + at.size(), value);
  return value;
}

}  // namespace

std::string process_mark(pid_t process) {
  return fmt::format("{}-{}", process, beginning_of(process));
}

}  // namespace patchbay::sandbox
