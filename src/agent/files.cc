#include "agent/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "agent/path_faults.h"
#include "core/text.h"
#include "json/text.h"

namespace patchbay::agent {
namespace {

constexpr std::uint64_t kFileReadStep = 64 * 1024;
constexpr std::uint64_t kMostOffset = INT64_MAX;

Error too_large(const std::string& path, std::uint64_t size, std::uint64_t most) {
  return {Code::internal,
          fmt::format("file '{}' is too large ({} bytes, max {} bytes)", path, size, most)};
}

// Never waits for the other end of a pipe and never touches a device: only regular files have
// contents.
Result<net::Fd> open_file(const Tree& tree, const std::string& path, struct stat& about) {
  auto file = tree.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file) {
    const bool missing = errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == EXDEV;
    return path_fault(missing ? "stat" : "read", path);
  }
  if (::fstat(file.get(), &about) != 0) return path_fault("stat", path);
  if (S_ISDIR(about.st_mode)) return path_fault("read", path, std::strerror(EISDIR));
  if (!S_ISREG(about.st_mode)) return path_fault("read", path, "not a regular file");
  return file;
}

// At most `most` bytes from the offset. One more byte is read to find out whether there is more.
Result<std::string> read_bytes(const net::Fd& file, const std::string& path, std::uint64_t offset,
                               std::uint64_t most, bool& whole) {
  std::string bytes;
  while (bytes.size() <= most) {
    const std::size_t before = bytes.size();
    const auto needed = static_cast<std::size_t>(std::min(kFileReadStep, most + 1 - before));
    stretch(bytes, before + needed);
    const ssize_t n =
        ::pread(file.get(), bytes.data() + before, needed, static_cast<off_t>(offset + before));
    const int why = errno;
    bytes.resize(before + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (n < 0 && why == EINTR) continue;
    if (n < 0) return path_fault("read", path, std::strerror(why));
    if (n == 0) break;
  }
  whole = bytes.size() <= most;
  return bytes;
}

Result<void> write_bytes(const net::Fd& file, const WriteRequest& request) {
  std::string_view left = request.content;
  std::uint64_t at = request.offset.value_or(0);
  while (!left.empty()) {
    const ssize_t n = request.offset
                          ? ::pwrite(file.get(), left.data(), left.size(), static_cast<off_t>(at))
                          : ::write(file.get(), left.data(), left.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return path_fault("write", request.path);
    left.remove_prefix(static_cast<std::size_t>(n));
    at += static_cast<std::uint64_t>(n);
  }
  return ok();
}

}  // namespace

Result<std::string> read_file(const Tree& tree, const ReadRequest& request, std::uint64_t most) {
  struct stat about{};
  auto file = open_file(tree, request.path, about);
  if (!file) return file.error();
  const auto size = static_cast<std::uint64_t>(about.st_size);
  const std::uint64_t requested = request.length.value_or(most);
  if (requested > most) return too_large(request.path, requested, most);
  if (request.offset > kMostOffset - most)
    return path_fault("read", request.path, "no such offset");
  const std::uint64_t left = size - std::min(size, request.offset);
  if (!request.length && left > most) return too_large(request.path, size, most);
  bool whole = false;
  auto bytes = read_bytes(*file, request.path, request.offset, requested, whole);
  if (!bytes) return bytes.error();
  // Files of /proc and files that grow report too small a size.
  if (!whole && !request.length) return too_large(request.path, bytes->size(), most);
  if (!whole) bytes->resize(requested);
  if (request.encoding == Encoding::utf8 && !json::is_utf8(*bytes)) {
    return path_fault("read", request.path, "stream did not contain valid UTF-8");
  }
  std::string result = "{\"content\":";
  append_bytes(result, *bytes, request.encoding);
  if (request.extended) {
    result += fmt::format(",\"size\":{},\"bytes\":{},\"eof\":{}", size, bytes->size(), whole);
  }
  return result + "}";
}

Result<std::string> write_file(const Tree& tree, const WriteRequest& request) {
  if (!tree.make_parents(request.path)) {
    return path_fault("create directories for", request.path);
  }
  if (request.offset && *request.offset > kMostOffset - request.content.size()) {
    return path_fault("write", request.path, "no such offset");
  }
  int flags = O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY;
  if (request.append) flags |= O_APPEND;
  if (request.create_only) flags |= O_EXCL;
  const auto mode = static_cast<mode_t>(request.mode.value_or(0666) & 07777);
  const auto file = tree.open(request.path, flags, mode);
  if (!file) return path_fault("write", request.path);
  struct stat about{};
  if (::fstat(file.get(), &about) != 0) return path_fault("write", request.path);
  // Truncates only here, after the check that it is a regular file.
  if (!S_ISREG(about.st_mode)) return path_fault("write", request.path, "not a regular file");
  const bool anew = !request.append && !request.offset;
  if (anew && about.st_size > 0 && ::ftruncate(file.get(), 0) != 0) {
    return path_fault("write", request.path);
  }
  if (request.mode && ::fchmod(file.get(), mode) != 0) return path_fault("write", request.path);
  auto written = write_bytes(file, request);
  if (!written) return written.error();
  return std::string(R"({"success":true})");
}

}  // namespace patchbay::agent
