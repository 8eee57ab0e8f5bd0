#include "app/staged_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "net/io/fd.h"
#include "net/io/system_failure.h"

namespace patchbay::app {
namespace {

namespace fs = std::filesystem;

std::string folder_of(const std::string& path) {
  const auto parent = fs::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

std::string staged_name(const std::string& path) {
  return (fs::path(path).parent_path() / (".new-" + fs::path(path).filename().string())).string();
}

// Returns the descriptor of a new file.
Result<net::Fd> create(const std::string& name, mode_t mode) {
  if (::unlink(name.c_str()) != 0 && errno != ENOENT) return net::system_failure(name);
  net::Fd fd(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
  if (!fd) return net::system_failure(name);
  return fd;
}

}  // namespace

Result<void> write_and_sync(int fd, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const auto written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return net::system_failure(path);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  // A device or a pipe has nothing to be stored.
  if (::fsync(fd) != 0 && errno != EINVAL) return net::system_failure(path);
  return ok();
}

StagedFile::StagedFile(std::string path, std::string name)
    : path_(std::move(path)), name_(std::move(name)) {}

StagedFile::StagedFile(StagedFile&& other) noexcept
    : path_(std::move(other.path_)), name_(std::exchange(other.name_, {})) {}

StagedFile::~StagedFile() {
  if (!name_.empty()) ::unlink(name_.c_str());
}

Result<StagedFile> StagedFile::make(const std::string& path, std::string_view text,
                                    const Form& form) {
  constexpr mode_t kPrivate = 0600;
  StagedFile staged(path, staged_name(path));
  auto fd = create(staged.name_, form.exact ? kPrivate : form.mode);
  if (!fd) return fd.error();
  struct stat made{};
  if (::fstat(fd->get(), &made) != 0) return net::system_failure(staged.name_);
  const auto& owner = form.owner;
  const bool moves = owner && (made.st_uid != owner->user || made.st_gid != owner->group);
  // The owner first: a change of it clears bits of the mode.
  if (moves && ::fchown(fd->get(), owner->user, owner->group) != 0) {
    return net::system_failure("the owner of " + path);
  }
  if (form.exact && ::fchmod(fd->get(), form.mode) != 0) return net::system_failure(staged.name_);
  auto written = write_and_sync(fd->get(), text, staged.name_);
  if (!written) return written.error();
  return staged;
}

Result<void> StagedFile::commit() {
  if (::rename(name_.c_str(), path_.c_str()) != 0) return net::system_failure(path_);
  name_.clear();
  const std::string folder = folder_of(path_);
  const net::Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd && ::fsync(fd.get()) != 0 && errno != EINVAL) return net::system_failure(folder);
  return ok();
}

}  // namespace patchbay::app
