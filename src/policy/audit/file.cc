#include "policy/audit/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace patchbay::policy {
namespace {

Error failed(std::string_view what, const std::string& path) {
  return {Code::unavailable, fmt::format("cannot {} {}: {}", what, path, std::strerror(errno))};
}

}  // namespace

AuditFile::AuditFile(const AuditSettings& settings)
    : path_(settings.file),
      most_(settings.rotate.value),
      keep_(settings.keep),
      sync_(settings.sync) {}

AuditFile::~AuditFile() { close(); }

void AuditFile::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Result<void> AuditFile::open() {
  if (fd_ >= 0) return ok();
  // Records reveal what callers do: only the owner may read them. If the file is a pipe that nobody
  // reads, the writer must not wait.
  fd_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
  struct stat status{};
  if (fd_ < 0 || ::fstat(fd_, &status) != 0) return failed("open", path_);
  size_ = static_cast<std::uint64_t>(status.st_size);
  return ok();
}

Result<void> AuditFile::write(const std::vector<AuditRecord>& records) {
  auto opened = open();
  if (!opened) return opened;
  lines_.clear();
  for (const auto& record : records) {
    append_line(lines_, record);
    if (size_ + lines_.size() < most_) continue;
    auto written = write_out(lines_);
    if (!written) return written;
    lines_.clear();
    rotate();
    opened = open();
    if (!opened) return opened;
  }
  auto written = write_out(lines_);
  if (written && sync_ && ::fdatasync(fd_) != 0) return failed("write to the disk", path_);
  return written;
}

Result<void> AuditFile::write_out(std::string_view bytes) {
  const auto before = static_cast<off_t>(size_);
  while (!bytes.empty()) {
    const auto n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      Error why = failed("write", path_);
      // Half a line would corrupt the next one too.
      if (::ftruncate(fd_, before) != 0) close();
      size_ = static_cast<std::uint64_t>(before);
      return why;
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
    size_ += static_cast<std::uint64_t>(n);
  }
  return ok();
}

void AuditFile::rotate() {
  close();
  if (keep_ == 0) {
    ::unlink(path_.c_str());
    return;
  }
  for (int i = keep_ - 1; i >= 1; --i) {
    std::rename(fmt::format("{}.{}", path_, i).c_str(), fmt::format("{}.{}", path_, i + 1).c_str());
  }
  std::rename(path_.c_str(), fmt::format("{}.1", path_).c_str());
}

}  // namespace patchbay::policy
