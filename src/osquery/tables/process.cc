// processes, process_open_files, process_memory_map: running processes.
#include <sys/stat.h>

#include <array>
#include <cstring>

#include "osquery/files.h"
#include "osquery/tables/all.h"
#include "osquery/tables/proc.h"
#include "osquery/text.h"

namespace patchbay::osquery {
namespace {

namespace process {
enum {
  pid,
  name,
  path,
  cmdline,
  state,
  cwd,
  root,
  uid,
  gid,
  euid,
  egid,
  suid,
  sgid,
  on_disk,
  wired_size,
  resident_size,
  total_size,
  user_time,
  system_time,
  disk_bytes_read,
  disk_bytes_written,
  start_time,
  parent,
  pgroup,
  threads,
  nice,
  cgroup_path
};
}
constexpr std::array kProcessColumns{
    Column{"pid", Type::bigint, Use::key},
    Column{"name", Type::text},
    Column{"path", Type::text},
    Column{"cmdline", Type::text},
    Column{"state", Type::text},
    Column{"cwd", Type::text},
    Column{"root", Type::text},
    Column{"uid", Type::bigint},
    Column{"gid", Type::bigint},
    Column{"euid", Type::bigint},
    Column{"egid", Type::bigint},
    Column{"suid", Type::bigint},
    Column{"sgid", Type::bigint},
    Column{"on_disk", Type::integer},
    Column{"wired_size", Type::bigint},
    Column{"resident_size", Type::bigint},
    Column{"total_size", Type::bigint},
    Column{"user_time", Type::bigint},
    Column{"system_time", Type::bigint},
    Column{"disk_bytes_read", Type::bigint},
    Column{"disk_bytes_written", Type::bigint},
    Column{"start_time", Type::bigint},
    Column{"parent", Type::bigint},
    Column{"pgroup", Type::bigint},
    Column{"threads", Type::integer},
    Column{"nice", Type::integer},
    Column{"cgroup_path", Type::text},
};

// Which files of a process the query needs: each costs an open, a read and a close.
struct Needs {
  explicit Needs(const Scan& scan)
      : status(scan.needs(process::uid, process::gid, process::euid, process::egid, process::suid,
                          process::sgid)),
        cmdline(scan.needs(process::cmdline)),
        exe(scan.needs(process::path, process::on_disk)),
        io(scan.needs(process::disk_bytes_read, process::disk_bytes_written)),
        cgroup(scan.needs(process::cgroup_path)) {}

  bool status, cmdline, exe, io, cgroup;
};

void set_stat(Scan& scan, const ProcessStat& stat, const SystemClock& clock) {
  scan.set(process::name, stat.name);
  scan.set(process::state, std::string_view(&stat.state, 1));
  scan.set(process::parent, stat.parent);
  scan.set(process::pgroup, stat.group);
  scan.set(process::user_time, clock.milliseconds(stat.user_ticks));
  scan.set(process::system_time, clock.milliseconds(stat.system_ticks));
  scan.set(process::nice, stat.nice);
  scan.set(process::threads, stat.threads);
  scan.set(process::start_time, clock.since_epoch(stat.start_ticks));
  scan.set(process::total_size, stat.virtual_bytes);
  scan.set(process::resident_size, stat.resident_pages * clock.page);
  scan.set(process::wired_size, 0);
}

void set_ids(Scan& scan, std::string_view status) {
  const auto set = [&](std::string_view key, int real, int effective, int saved) {
    std::string_view ids = status_value(status, key);
    for (const int column : {real, effective, saved})
      scan.set(column, number_or(take_field(ids), -1));
  };
  set("Uid", process::uid, process::euid, process::suid);
  set("Gid", process::gid, process::egid, process::sgid);
}

// The arguments of the command line end with zeros.
void set_cmdline(Scan& scan, std::string& text) {
  while (!text.empty() && text.back() == '\0') text.pop_back();
  for (char& c : text) {
    if (c == '\0') c = ' ';
  }
  scan.set(process::cmdline, text);
}

void set_program(Scan& scan, int folder) {
  std::string path = read_link_at(folder, "exe");
  constexpr std::string_view kDeleted = " (deleted)";
  const bool deleted = path.ends_with(kDeleted);
  if (deleted) path.resize(path.size() - kDeleted.size());
  scan.set(process::path, path);
  struct stat ignored{};
  const bool there =
      !deleted && !path.empty() && ::stat(scan.machine().path(path).c_str(), &ignored) == 0;
  scan.set(process::on_disk, path.empty() ? -1 : there ? 1 : 0);
}

Result<void> read_processes(Scan& scan) {
  const Needs needs(scan);
  const SystemClock clock(scan.machine());
  std::string text;
  each_process(scan, process::pid, [&](std::int64_t pid, int folder) {
    if (!read_whole_at(folder, "stat", text)) return true;  // It has ended meanwhile.
    const auto stat = parse_stat(text);
    if (!stat) return true;
    if (!scan.row()) return false;
    scan.set(process::pid, pid);
    set_stat(scan, *stat, clock);
    if (needs.status && read_whole_at(folder, "status", text)) set_ids(scan, text);
    if (needs.cmdline && read_whole_at(folder, "cmdline", text)) set_cmdline(scan, text);
    if (needs.exe) set_program(scan, folder);
    if (scan.needs(process::cwd)) scan.set(process::cwd, read_link_at(folder, "cwd"));
    if (scan.needs(process::root)) scan.set(process::root, read_link_at(folder, "root"));
    if (needs.io && read_whole_at(folder, "io", text)) {
      scan.set(process::disk_bytes_read, number_or(status_value(text, "read_bytes"), 0));
      scan.set(process::disk_bytes_written, number_or(status_value(text, "write_bytes"), 0));
    }
    if (needs.cgroup && read_whole_at(folder, "cgroup", text)) {
      scan.set(process::cgroup_path, cgroup_path(text));
    }
    return true;
  });
  return ok();
}

namespace open_file {
enum { pid, fd, path };
}
constexpr std::array kOpenFileColumns{
    Column{"pid", Type::bigint, Use::key},
    Column{"fd", Type::bigint},
    Column{"path", Type::text},
};

Result<void> read_open_files(Scan& scan) {
  each_process(scan, open_file::pid, [&](std::int64_t pid, int folder) {
    return each_descriptor(folder, [&](std::int64_t fd, std::string_view target) {
      if (!target.starts_with('/')) return true;  // Sockets and pipes are no files.
      if (!scan.row()) return false;
      scan.set(open_file::pid, pid);
      scan.set(open_file::fd, fd);
      scan.set(open_file::path, target);
      return true;
    });
  });
  return ok();
}

namespace map {
enum { pid, start, end, permissions, offset, device, inode, path, pseudo };
}
constexpr std::array kMapColumns{
    Column{"pid", Type::integer, Use::key},
    Column{"start", Type::text},
    Column{"end", Type::text},
    Column{"permissions", Type::text},
    Column{"offset", Type::bigint},
    Column{"device", Type::text},
    Column{"inode", Type::integer},
    Column{"path", Type::text},
    Column{"pseudo", Type::integer},
};

bool add_mapping(Scan& scan, std::int64_t pid, std::string_view line) {
  if (!scan.row()) return false;
  std::string_view range = take_field(line);
  scan.set(map::pid, pid);
  scan.set(map::start, "0x" + std::string(take_until(range, '-')));
  scan.set(map::end, "0x" + std::string(range));
  scan.set(map::permissions, take_field(line));
  scan.set(map::offset, number<std::int64_t>(take_field(line), 16).value_or(0));
  scan.set(map::device, take_field(line));
  const std::int64_t inode = number_or(take_field(line), 0);
  const std::string_view path = trimmed(line);
  scan.set(map::inode, inode);
  scan.set(map::path, path);
  scan.set(map::pseudo, inode == 0 && !path.empty() ? 1 : 0);
  return true;
}

Result<void> read_maps(Scan& scan) {
  each_process(scan, map::pid, [&](std::int64_t pid, int folder) {
    bool more = true;
    each_line(read_file_at(folder, "maps"),
              [&](std::string_view line) { more = more && add_mapping(scan, pid, line); });
    return more;
  });
  return ok();
}

}  // namespace

constinit const Table kProcesses{"processes", "The processes that run.", kProcessColumns,
                                 read_processes};
constinit const Table kProcessOpenFiles{"process_open_files", "The files that processes have open.",
                                        kOpenFileColumns, read_open_files};
constinit const Table kProcessMemoryMap{"process_memory_map", "The memory maps of processes.",
                                        kMapColumns, read_maps};

}  // namespace patchbay::osquery
