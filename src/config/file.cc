#include "config/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "config/trust.h"
#include "config/units.h"

namespace patchbay::config {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  const int fd_;
};

Error system_fault() {
  const std::string reason = std::error_code(errno, std::generic_category()).message();
  return {errno == ENOENT ? Code::not_found : Code::unavailable,
          fmt::format("cannot be read: {}", reason)};
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  // Does not wait for a writer if the path is a pipe.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return system_fault();
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return system_fault();
  if (!S_ISREG(status.st_mode)) return Error{Code::invalid_params, "is not a regular file", {}};

  std::string text;
  char block[16384];
  for (;;) {
    const ssize_t count = ::read(file.get(), block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_fault();
    if (count == 0) return text;
    text.append(block, static_cast<std::size_t>(count));
    if (text.size() > limit) {
      return Error{Code::too_large, fmt::format("is larger than {}", print(Bytes{limit})), {}};
    }
  }
}

Result<std::string> read_stdin(std::size_t limit) {
  std::string text(limit + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), stdin));
  if (text.size() <= limit) return text;
  return Error{Code::too_large, fmt::format("is larger than {}", print(Bytes{limit})), {}};
}

Result<std::string> read_trusted_file(const std::string& path, std::size_t limit) {
  auto text = read_file(path, limit);
  if (!text) return text;
  std::string fault = untrusted_writers(path);
  if (!fault.empty()) return Error{Code::invalid_params, std::move(fault)};
  return text;
}

}  // namespace patchbay::config
