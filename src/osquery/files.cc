#include "osquery/files.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <climits>
#include <memory>

namespace patchbay::osquery {
namespace {

constexpr std::size_t kFirstRead = 4096;

enum class Until : std::uint8_t {
  nothing_comes,  // Larger files of /proc are read in pieces.
  not_full,       // One read, for files that the kernel returns whole.
};

bool read_all(int fd, Until until, std::string& into) {
  into.resize(std::max(into.capacity(), kFirstRead));
  std::size_t used = 0;
  for (;;) {
    const ssize_t n = ::read(fd, into.data() + used, into.size() - used);
    if (n < 0) return false;
    used += static_cast<std::size_t>(n);
    const bool full = used == into.size();
    if (n == 0 || used >= kMostFile || (until == Until::not_full && !full)) break;
    if (full) into.resize(used * 2);
  }
  into.resize(used);
  return true;
}

bool read_at(int folder, const char* name, Until until, std::string& into) {
  const net::Fd fd(::openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (fd && read_all(fd.get(), until, into)) return true;
  into.clear();
  return false;
}

}  // namespace

bool read_whole_at(int folder, const char* name, std::string& into) {
  return read_at(folder, name, Until::not_full, into);
}

std::string read_file_at(int folder, const char* name) {
  std::string text;
  read_at(folder, name, Until::nothing_comes, text);
  return text;
}

std::string read_file(const std::string& path) { return read_file_at(AT_FDCWD, path.c_str()); }

std::string read_line(const std::string& path) {
  std::string text = read_file(path);
  text.resize(std::min(text.find('\n'), text.size()));
  return text;
}

std::string read_link_at(int folder, const char* name) {
  std::array<char, PATH_MAX> target;
  const ssize_t n = ::readlinkat(folder, name, target.data(), target.size());
  return n > 0 ? std::string(target.data(), static_cast<std::size_t>(n)) : std::string();
}

net::Fd open_folder(const std::string& path) { return open_folder_at(AT_FDCWD, path.c_str()); }

net::Fd open_folder_at(int folder, const char* name) {
  return net::Fd(::openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(folder.c_str()), ::closedir);
  while (const dirent* const entry = dir ? ::readdir(dir.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace patchbay::osquery
