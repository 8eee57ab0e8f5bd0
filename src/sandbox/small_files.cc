#include "sandbox/small_files.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "net/io/fd.h"

namespace patchbay::sandbox {
namespace {

constexpr std::size_t kMost = 1 << 20;

Error failure(std::string_view verb, const std::string& path) {
  return {Code::unavailable, fmt::format("cannot {} {}: {}", verb, path, std::strerror(errno))};
}

}  // namespace

Result<std::string> read_small(const std::string& path) {
  const net::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return failure("open", path);
  std::string text;
  char chunk[8192];
  while (text.size() < kMost) {
    const ssize_t got = ::read(file.get(), chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("read", path);
    if (got == 0) break;
    text.append(chunk, static_cast<std::size_t>(got));
  }
  return text;
}

Result<void> write_small(const std::string& path, std::string_view text) {
  const net::Fd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file) return failure("open", path);
  ssize_t put = 0;
  do {
    put = ::write(file.get(), text.data(), text.size());
  } while (put < 0 && errno == EINTR);
  if (put != static_cast<ssize_t>(text.size())) return failure("write to", path);
  return ok();
}

}  // namespace patchbay::sandbox
