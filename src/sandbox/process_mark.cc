#include "sandbox/process_mark.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <charconv>

#include "sandbox/small_files.h"

namespace patchbay::sandbox {
namespace {

// When a process started, in clock ticks since boot; 0 if there is none.
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

// The namespace in which processes have the numbers that we see.
std::uint64_t our_numbers() {
  struct stat info{};
  return ::stat("/proc/self/ns/pid", &info) == 0 ? info.st_ino : 0;
}

}  // namespace

std::string process_mark(pid_t process) {
  return fmt::format("{}-{}-{}", our_numbers(), process, beginning_of(process));
}

Owner owner_of(std::string_view name) {
  const char* const end = name.data() + name.size();
  std::uint64_t numbers = 0;
  const auto first = std::from_chars(name.data(), end, numbers);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '-') return Owner::unknown;
  pid_t process = 0;
  const auto second = std::from_chars(first.ptr + 1, end, process);
  if (second.ec != std::errc() || numbers != our_numbers()) return Owner::unknown;
  return name.starts_with(process_mark(process) + "-") ? Owner::running : Owner::dead;
}

}  // namespace patchbay::sandbox
