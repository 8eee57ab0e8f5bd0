#include "app/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <vector>

#include "app/staged_file.h"
#include "net/io/fd.h"
#include "net/io/system_failure.h"

namespace patchbay::app {
namespace {

constexpr std::size_t kContext = 3;

// What is no file cannot be replaced: /dev/null, /dev/stdout, a named pipe.
Result<void> write_into(std::string_view text, const std::string& path) {
  const net::Fd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd) return net::system_failure(path);
  return write_and_sync(fd.get(), text, path);
}

// The file behind symbolic links, which need not exist.
std::string target_of(const std::string& path) {
  constexpr int kMaxLinks = 40;
  std::filesystem::path name = path;
  std::error_code failed;
  for (int i = 0; i < kMaxLinks && std::filesystem::is_symlink(name, failed); ++i) {
    const auto next = std::filesystem::read_symlink(name, failed);
    if (failed) break;
    name = name.parent_path() / next;  // An absolute one replaces all.
  }
  return name.string();
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

Result<void> check_writable(const std::string& path) {
  constexpr mode_t kWritable = S_IWUSR | S_IWGRP | S_IWOTH;
  struct stat status{};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (!exists || (status.st_mode & kWritable) != 0) return ok();
  return Error{Code::unavailable, fmt::format("{} is read-only; it was not changed", path)};
}

Result<void> replace_file(const std::string& path, std::string_view text, unsigned mode) {
  const std::string name = target_of(path);
  struct stat status{};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) return write_into(text, path);
  auto writable = check_writable(path);
  if (!writable) return writable;
  // An existing file keeps the bits of its mode that `mode` has.
  const StagedFile::Form form{exists ? status.st_mode & mode : mode, exists};
  auto staged = StagedFile::make(name, text, form);
  if (!staged) return staged.error();
  return staged->commit();
}

Result<void> create_file(const std::string& path, std::string_view text, unsigned mode) {
  const net::Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!fd && errno == EEXIST) {
    return Error{Code::invalid_request, fmt::format("{} exists; it was not changed", path)};
  }
  if (!fd) return net::system_failure(path);
  return write_and_sync(fd.get(), text, path);
}

std::string line_difference(std::string_view before, std::string_view after,
                            std::string_view name) {
  if (before == after) return "";
  const auto old_lines = lines_of(before);
  const auto new_lines = lines_of(after);
  const std::size_t least = std::min(old_lines.size(), new_lines.size());
  std::size_t front = 0;
  while (front < least && old_lines[front] == new_lines[front]) ++front;
  std::size_t back = 0;
  while (back < least - front &&
         old_lines[old_lines.size() - 1 - back] == new_lines[new_lines.size() - 1 - back]) {
    ++back;
  }
  const std::size_t begin = front - std::min(front, kContext);
  const std::size_t tail = std::min(back, kContext);
  const std::size_t old_end = old_lines.size() - back;
  const std::size_t new_end = new_lines.size() - back;
  std::string out = fmt::format("--- {}\n+++ {}\n@@ -{},{} +{},{} @@\n", name, name, begin + 1,
                                old_end + tail - begin, begin + 1, new_end + tail - begin);
  const auto append = [&out](char mark, std::string_view line) {
    out.append(1, mark).append(line).append(1, '\n');
  };
  for (std::size_t i = begin; i < front; ++i) append(' ', old_lines[i]);
  for (std::size_t i = front; i < old_end; ++i) append('-', old_lines[i]);
  for (std::size_t i = front; i < new_end; ++i) append('+', new_lines[i]);
  for (std::size_t i = old_end; i < old_end + tail; ++i) append(' ', old_lines[i]);
  return out;
}

}  // namespace patchbay::app
