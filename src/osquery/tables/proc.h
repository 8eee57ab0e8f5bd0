// Reading /proc: the processes, and the contents of their files. A process is read through its open
// folder, so that a row is about one process, even if its pid is reused meanwhile. Blocking reads;
// any thread.
#pragma once

#include <dirent.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/io/fd.h"
#include "osquery/files.h"
#include "osquery/table.h"
#include "osquery/text.h"

namespace patchbay::osquery {

// /proc/PID/stat.
struct ProcessStat {
  std::string_view name;  // Points into the text.
  char state = '?';
  std::int64_t parent = 0;
  std::int64_t group = 0;
  std::int64_t user_ticks = 0;
  std::int64_t system_ticks = 0;
  std::int64_t nice = 0;
  std::int64_t threads = 0;
  std::int64_t start_ticks = 0;
  std::int64_t virtual_bytes = 0;
  std::int64_t resident_pages = 0;
};

std::optional<ProcessStat> parse_stat(std::string_view text);

// The value of `key` in lines of `Key: value`, as in /proc/PID/status.
std::string_view status_value(std::string_view text, std::string_view key);

// The path in /proc/PID/cgroup: that of the one hierarchy of cgroup v2, else of the first.
std::string_view cgroup_path(std::string_view text);

// Converts the kernel's ticks and pages into units.
struct SystemClock {
  explicit SystemClock(const Machine& machine);

  std::int64_t milliseconds(std::int64_t count) const { return count * 1000 / ticks; }
  std::int64_t since_epoch(std::int64_t count) const { return boot + count / ticks; }

  std::int64_t ticks;  // A second.
  std::int64_t page;   // Bytes.
  std::int64_t boot;   // UNIX time.
};

using Folder = std::unique_ptr<DIR, int (*)(DIR*)>;
Folder list_folder(int folder);

// Calls `visit(number, name)` for each entry of a folder that is a number, until one yields false.
// False if one did.
template <class Visit>
bool each_number(int folder, Visit visit) {
  const Folder entries = list_folder(folder);
  while (const dirent* const entry = entries ? ::readdir(entries.get()) : nullptr) {
    const auto value = number<std::int64_t>(entry->d_name);
    if (value && !visit(*value, entry->d_name)) return false;
  }
  return true;
}

// Calls `visit(pid, folder)` for each process that the query selects, until one yields false.
template <class Visit>
void each_process(const Scan& scan, int pid_column, Visit visit) {
  const net::Fd proc = open_folder(scan.machine().path("/proc"));
  if (!proc) return;
  const auto open = [&](std::int64_t pid, const char* name) {
    const net::Fd folder = open_folder_at(proc.get(), name);
    return !folder || visit(pid, folder.get());  // Without one, it has ended meanwhile.
  };
  if (!scan.given(pid_column)) {
    each_number(proc.get(), open);
  } else if (const auto pid = scan.given_number(pid_column)) {
    open(*pid, std::to_string(*pid).c_str());
  }
}

// Calls `visit(number, target)` for each descriptor of a process that we may see, until one yields
// false. False if one did.
template <class Visit>
bool each_descriptor(int process, Visit visit) {
  const net::Fd descriptors = open_folder_at(process, "fd");
  if (!descriptors) return true;
  return each_number(descriptors.get(), [&](std::int64_t fd, const char* name) {
    return visit(fd, read_link_at(descriptors.get(), name));
  });
}

}  // namespace patchbay::osquery
