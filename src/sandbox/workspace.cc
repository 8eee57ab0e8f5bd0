#include "sandbox/workspace.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "core/text.h"
#include "json/text.h"
#include "sandbox/spec.h"

namespace patchbay::sandbox {
namespace {

constexpr std::size_t kLongestPath = 4096;
constexpr std::size_t kLongestName = 255;
constexpr int kRaces = 16;  // Retries when names move during resolution.

net::Fd open_beneath(int folder, const char* path, int flags, mode_t mode = 0) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV;
  for (int i = 0; i < kRaces; ++i) {
    const auto fd = static_cast<int>(::syscall(SYS_openat2, folder, path, &how, sizeof how));
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR)) return net::Fd(fd);
  }
  return net::Fd();
}

Error fault(std::string_view verb, std::string_view path) {
  const int why = errno;
  const auto name = json::shortened(path, 256);
  if (why == ELOOP || why == EXDEV) {
    return {Code::forbidden,
            fmt::format("cannot {} '{}': there is a link, and links are not followed", verb, name)};
  }
  if (why == ENOENT || why == ENOTDIR) {
    return {Code::resource_not_found,
            fmt::format("cannot {} '{}': {}", verb, name, std::strerror(why))};
  }
  if (why == ENOSPC || why == EFBIG) {
    return {Code::too_large,
            fmt::format("cannot {} '{}': the sandbox has no room for it", verb, name)};
  }
  return {Code::invalid_params, fmt::format("cannot {} '{}': {}", verb, name, std::strerror(why))};
}

// Checks that `file` is a plain file with one name only; yields its status.
Result<struct stat> check_plain(const net::Fd& file, std::string_view verb, std::string_view path) {
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) return fault(verb, path);
  if (S_ISREG(info.st_mode) && info.st_nlink == 1) return info;
  const char* const what = S_ISDIR(info.st_mode)    ? "is a folder"
                           : !S_ISREG(info.st_mode) ? "is no plain file"
                                                    : "has other names as well";
  return Error{Code::invalid_params,
               fmt::format("cannot {} '{}': it {}", verb, json::shortened(path, 256), what)};
}

// A file that we create belongs to the sandbox's user.
void hand_to_owner(int file, int like) {
  struct stat info{};
  if (::geteuid() != 0 || ::fstat(like, &info) != 0) return;
  [[maybe_unused]] const int given = ::fchown(file, info.st_uid, info.st_gid);
}

Result<void> write_all(const net::Fd& file, std::string_view bytes, std::string_view path) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file.get(), bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fault("write", path);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return ok();
}

std::string_view type_of(mode_t mode) {
  if (S_ISREG(mode)) return "file";
  if (S_ISDIR(mode)) return "dir";
  return S_ISLNK(mode) ? "symlink" : "other";
}

}  // namespace

Result<std::string> Workspace::relative(std::string_view path) {
  const auto bad = [&](std::string_view why) {
    return Error{Code::invalid_params,
                 fmt::format("the path '{}' {}", json::shortened(path, 256), why)};
  };
  if (path.empty()) return bad("is empty");
  if (path.size() > kLongestPath) return bad("is too long");
  if (path.find('\0') != std::string_view::npos) return bad("has a zero byte in it");
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= path.size();) {
    const auto end = std::min(path.find('/', at), path.size());
    const auto part = path.substr(at, end - at);
    at = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") return bad("has '..' in it, which is not followed");
    if (part.size() > kLongestName) return bad("has a name in it that is too long");
    parts.push_back(part);
  }
  if (path.front() == '/') {
    if (parts.empty() || parts.front() != kWorkspace.substr(1)) {
      return bad("is not in /workspace, where the files of a sandbox are");
    }
    parts.erase(parts.begin());
  }
  return parts.empty() ? "." : fmt::format("{}", fmt::join(parts, "/"));
}

Result<FilePiece> Workspace::read(const std::string& path, std::uint64_t offset,
                                  std::uint64_t length, std::uint64_t most) const {
  auto name = relative(path);
  if (!name) return name.error();
  // Non-blocking: a pipe would wait for its other end.
  const net::Fd file = open_beneath(folder_.get(), name->c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file) return fault("read", path);
  auto info = check_plain(file, "read", path);
  if (!info) return info.error();
  FilePiece piece;
  piece.size = static_cast<std::uint64_t>(info->st_size);
  const std::uint64_t rest = piece.size > offset ? piece.size - offset : 0;
  const std::uint64_t needed = length == 0 ? rest : std::min(rest, length);
  if (needed > most) {
    return Error{Code::too_large,
                 fmt::format("'{}' has {} bytes; at most {} are read at once, so ask for a part of "
                             "it with offset and length",
                             json::shortened(path, 256), piece.size, most)};
  }
  stretch(piece.bytes, needed);
  std::size_t got = 0;
  while (got < needed) {
    const ssize_t n = ::pread(file.get(), piece.bytes.data() + got, needed - got,
                              static_cast<off_t>(offset + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fault("read", path);
    if (n == 0) break;  // It has become shorter meanwhile.
    got += static_cast<std::size_t>(n);
  }
  piece.bytes.resize(got);
  return piece;
}

// The folder of a file, created if needed, one step at a time.
Result<net::Fd> Workspace::open_parent(const std::string& path) const {
  constexpr int kFolder = O_RDONLY | O_DIRECTORY;
  net::Fd at = open_beneath(folder_.get(), ".", kFolder);
  std::string_view rest = path;
  for (auto slash = rest.find('/'); at && slash != std::string_view::npos; slash = rest.find('/')) {
    const std::string name(rest.substr(0, slash));
    rest.remove_prefix(slash + 1);
    const bool made = ::mkdirat(at.get(), name.c_str(), 0755) == 0;
    if (!made && errno != EEXIST) return fault("write", path);
    net::Fd next = open_beneath(at.get(), name.c_str(), kFolder);
    if (next && made) hand_to_owner(next.get(), folder_.get());
    at = std::move(next);
  }
  if (!at) return fault("write", path);
  return at;
}

Result<void> Workspace::write(const std::string& path, std::string_view bytes, bool append) const {
  auto name = relative(path);
  if (!name) return name.error();
  auto parent = open_parent(*name);
  if (!parent) return parent.error();
  const std::string last = name->substr(name->rfind('/') + 1);
  constexpr int kFlags = O_WRONLY | O_NONBLOCK | O_NOCTTY;
  net::Fd file = open_beneath(parent->get(), last.c_str(), kFlags | (append ? O_APPEND : 0));
  if (!file && errno == ENOENT) {
    file = open_beneath(parent->get(), last.c_str(), kFlags | O_CREAT | O_EXCL, 0644);
    if (file) hand_to_owner(file.get(), folder_.get());
  }
  if (!file) return fault("write", path);
  auto info = check_plain(file, "write", path);
  if (!info) return info.error();
  // Truncated only after the checks that it is the right file.
  if (!append && ::ftruncate(file.get(), 0) != 0) return fault("write", path);
  return write_all(file, bytes, path);
}

Result<std::vector<FileEntry>> Workspace::list(const std::string& path, std::size_t most) const {
  auto name = relative(path);
  if (!name) return name.error();
  net::Fd opened = open_beneath(folder_.get(), name->c_str(), O_RDONLY | O_DIRECTORY | O_NONBLOCK);
  if (!opened) return fault("list", path);
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::fdopendir(opened.get()), ::closedir);
  if (!folder) return fault("list", path);
  const int fd = opened.release();
  std::vector<FileEntry> entries;
  while (const dirent* const entry = ::readdir(folder.get())) {
    const std::string_view called = entry->d_name;
    if (called == "." || called == "..") continue;
    if (entries.size() == most) {
      return Error{Code::too_large,
                   fmt::format("'{}' has more than {} entries", json::shortened(path, 256), most)};
    }
    struct stat info{};
    // Removed already.
    if (::fstatat(fd, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    entries.push_back({std::string(called), S_ISDIR(info.st_mode),
                       S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0,
                       type_of(info.st_mode)});
  }
  std::ranges::sort(entries, {}, &FileEntry::name);
  return entries;
}

}  // namespace patchbay::sandbox
