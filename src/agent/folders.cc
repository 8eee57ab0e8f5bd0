// The requests about names and folders; see files.h.
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <vector>

#include "agent/files.h"
#include "agent/path_faults.h"
#include "json/text.h"

namespace patchbay::agent {
namespace {

constexpr int kDeepest = 200;  // Nested folders that remove descends into: each needs a descriptor.
constexpr std::string_view kDone = R"({"success":true})";

using Folder = std::unique_ptr<DIR, decltype([](DIR* folder) { ::closedir(folder); })>;

struct Entry {
  std::string name;
  struct stat about{};
};

bool is_dots(std::string_view name) { return name == "." || name == ".."; }

std::string_view kind_of(mode_t mode) {
  if (S_ISREG(mode)) return "file";
  if (S_ISDIR(mode)) return "dir";
  if (S_ISLNK(mode)) return "symlink";
  return "other";
}

// Readers have no use for the size of links and folders.
std::uint64_t size_of(const struct stat& about) {
  return S_ISREG(about.st_mode) ? static_cast<std::uint64_t>(about.st_size) : 0;
}

void append_details(std::string& out, const struct stat& about) {
  out +=
      fmt::format(R"(,"type":"{}","mode":{},"mtime":{}.{:03})", kind_of(about.st_mode),
                  about.st_mode & 07777, about.st_mtim.tv_sec, about.st_mtim.tv_nsec / 1'000'000);
}

Result<std::vector<Entry>> read_entries(DIR* folder, const std::string& path, std::uint64_t most) {
  std::vector<Entry> entries;
  for (;;) {
    errno = 0;
    const dirent* const next = ::readdir(folder);
    if (!next && errno != 0) return path_fault("read directory", path);
    if (!next) return entries;
    if (is_dots(next->d_name)) continue;
    if (entries.size() == most) {
      return path_fault("read directory", path, fmt::format("it has more than {} entries", most));
    }
    Entry entry{next->d_name};
    // Removed meanwhile, so skipped.
    if (::fstatat(::dirfd(folder), next->d_name, &entry.about, AT_SYMLINK_NOFOLLOW) != 0) continue;
    entries.push_back(std::move(entry));
  }
}

// Removes `name` and everything in it; never follows a link.
bool remove_all(int folder, const char* name, int depth) {
  if (::unlinkat(folder, name, 0) == 0) return true;
  if (errno != EISDIR && errno != EPERM) return false;
  if (::unlinkat(folder, name, AT_REMOVEDIR) == 0) return true;
  if (errno != ENOTEMPTY && errno != EEXIST) return false;
  if (depth == kDeepest) {
    errno = ELOOP;
    return false;
  }
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  net::Fd inner(::openat(folder, name, kFlags));
  if (!inner) return false;
  const Folder entries(::fdopendir(inner.get()));
  if (!entries) return false;
  const int fd = inner.release();
  while (const dirent* const next = ::readdir(entries.get())) {
    if (!is_dots(next->d_name) && !remove_all(fd, next->d_name, depth + 1)) return false;
  }
  return ::unlinkat(folder, name, AT_REMOVEDIR) == 0;
}

}  // namespace

Result<std::string> list_dir(const Tree& tree, const ListRequest& request, std::uint64_t most) {
  net::Fd fd = tree.open(request.path, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
  if (!fd) return path_fault("read directory", request.path);
  const Folder folder(::fdopendir(fd.get()));
  if (!folder) return path_fault("read directory", request.path);
  fd.release();  // The folder closes it.
  auto entries = read_entries(folder.get(), request.path, most);
  if (!entries) return entries.error();
  std::ranges::sort(*entries, {}, &Entry::name);
  std::string result = "{\"entries\":[";
  for (const auto& entry : *entries) {
    if (&entry != entries->data()) result += ',';
    result += "{\"name\":";
    json::append_quoted(result, entry.name);
    result += fmt::format(",\"is_dir\":{},\"size\":{}", S_ISDIR(entry.about.st_mode),
                          size_of(entry.about));
    if (request.details) append_details(result, entry.about);
    result += '}';
  }
  return result + "]}";
}

Result<std::string> stat_path(const Tree& tree, const std::string& path, bool follow) {
  const auto fd = tree.open(path, O_PATH | (follow ? 0 : O_NOFOLLOW));
  struct stat about{};
  if (!fd || ::fstat(fd.get(), &about) != 0) return path_fault("stat", path);
  std::string result =
      fmt::format("{{\"is_dir\":{},\"size\":{}", S_ISDIR(about.st_mode), size_of(about));
  append_details(result, about);
  if (S_ISLNK(about.st_mode)) {
    char target[PATH_MAX];
    const ssize_t size = ::readlinkat(fd.get(), "", target, sizeof target);
    if (size < 0) return path_fault("stat", path);
    result += ",\"target\":";
    json::append_quoted(result, {target, static_cast<std::size_t>(size)});
  }
  return result + "}";
}

Result<std::string> make_folder(const Tree& tree, const std::string& path, bool parents) {
  if (parents && !tree.make_parents(path)) return path_fault("create directories for", path);
  const auto entry = tree.entry_of(path);
  if (!entry.folder) return path_fault("create directory", path);
  if (!entry.name.empty() && ::mkdirat(entry.folder.get(), entry.name.c_str(), 0777) == 0) {
    return std::string(kDone);
  }
  // With parents, an existing folder is success.
  const int why = entry.name.empty() ? EEXIST : errno;
  if (why == EEXIST && parents && tree.open(path, O_PATH | O_DIRECTORY)) return std::string(kDone);
  errno = why;
  return path_fault("create directory", path);
}

Result<std::string> remove_path(const Tree& tree, const std::string& path, bool recursive) {
  const auto entry = tree.entry_of(path);
  if (!entry.folder) return path_fault("remove", path);
  if (entry.name.empty()) return path_fault("remove", path, "it has no name of its own");
  const char* const name = entry.name.c_str();
  const int folder = entry.folder.get();
  bool gone = false;
  if (recursive) {
    gone = remove_all(folder, name, 0);
  } else {
    gone = ::unlinkat(folder, name, 0) == 0 ||
           (errno == EISDIR && ::unlinkat(folder, name, AT_REMOVEDIR) == 0);
  }
  if (!gone) return path_fault("remove", path);
  return std::string(kDone);
}

Result<std::string> move_path(const Tree& tree, const std::string& from, const std::string& to,
                              bool overwrite) {
  const auto source = tree.entry_of(from);
  if (!source.folder) return path_fault("move", from);
  const auto target = tree.entry_of(to);
  if (!target.folder) return path_fault("move", to);
  if (source.name.empty()) return path_fault("move", from, "it has no name of its own");
  if (target.name.empty()) return path_fault("move", to, "it has no name of its own");
  const unsigned flags = overwrite ? 0 : 1U /* RENAME_NOREPLACE */;
  const long moved = ::syscall(SYS_renameat2, source.folder.get(), source.name.c_str(),
                               target.folder.get(), target.name.c_str(), flags);
  if (moved == 0) return std::string(kDone);
  if (errno == EXDEV) return path_fault("move", from, "the two are on different file systems");
  return path_fault("move", from);
}

}  // namespace patchbay::agent
