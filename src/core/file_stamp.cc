#include "core/file_stamp.h"

#include <sys/stat.h>

namespace patchbay {
namespace {

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

FileStamp stamp_of(const std::string& path) {
  struct stat about{};
  if (::stat(path.c_str(), &about) != 0) return {};
  return {about.st_dev, about.st_ino, about.st_size, nanoseconds(about.st_mtim),
          nanoseconds(about.st_ctim)};
}

std::vector<FileStamp> stamps_of(const std::vector<std::string>& paths) {
  std::vector<FileStamp> stamps;
  stamps.reserve(paths.size());
  for (const auto& path : paths) stamps.push_back(stamp_of(path));
  return stamps;
}

}  // namespace patchbay
