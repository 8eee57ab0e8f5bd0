#include "osquery/tables/proc.h"

#include <fcntl.h>

#include <array>

namespace patchbay::osquery {

std::optional<ProcessStat> parse_stat(std::string_view text) {
  // The name is in parentheses and may contain anything, also parentheses and spaces.
  const auto open = text.find('(');
  const auto close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  ProcessStat stat;
  stat.name = text.substr(open + 1, close - open - 1);
  std::string_view rest = trimmed(text.substr(close + 1));
  constexpr int kFirst = 3;  // As proc(5) counts: the state follows pid and name.
  constexpr int kLast = 24;
  std::array<std::int64_t, kLast + 1> fields{};
  for (int i = kFirst; i <= kLast; ++i) {
    const auto field = take_field(rest);
    if (field.empty()) return {};
    if (i == kFirst) {
      stat.state = field.front();
    } else {
      fields[static_cast<std::size_t>(i)] = number_or(field, 0);
    }
  }
  stat.parent = fields[4];
  stat.group = fields[5];
  stat.user_ticks = fields[14];
  stat.system_ticks = fields[15];
  stat.nice = fields[19];
  stat.threads = fields[20];
  stat.start_ticks = fields[22];
  stat.virtual_bytes = fields[23];
  stat.resident_pages = fields[24];
  return stat;
}

std::string_view status_value(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    if (line.starts_with(key) && line.substr(key.size()).starts_with(':')) {
      return trimmed(line.substr(key.size() + 1));
    }
  }
  return {};
}

std::string_view cgroup_path(std::string_view text) {
  std::string_view first;
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    const bool unified = line.starts_with("0::");
    take_until(line, ':');
    take_until(line, ':');
    if (unified) return line;
    if (first.empty()) first = line;
  }
  return first;
}

SystemClock::SystemClock(const Machine& machine)
    : ticks(::sysconf(_SC_CLK_TCK)), page(::sysconf(_SC_PAGESIZE)), boot(0) {
  const std::string text = read_file(machine.path("/proc/stat"));
  const auto at = text.find("\nbtime ");
  if (at == std::string::npos) return;
  std::string_view rest = std::string_view(text).substr(at + 7);
  boot = number_or(take_until(rest, '\n'), 0);
}

Folder list_folder(int folder) {
  const int own = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const entries = own < 0 ? nullptr : ::fdopendir(own);
  if (!entries && own >= 0) ::close(own);
  return {entries, ::closedir};
}

}  // namespace patchbay::osquery
