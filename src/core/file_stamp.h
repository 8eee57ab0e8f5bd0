// A FileStamp identifies the content of a file: inode, size, and times of change. Stamps that
// differ mean that the file may have changed. Values only; usable from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace patchbay {

struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;  // 0: no access, usually because the file does not exist.
  std::int64_t size = 0;
  std::int64_t modified = 0;  // Nanoseconds since 1970.
  std::int64_t changed = 0;   // The same; owner, mode and name count too.

  bool operator==(const FileStamp&) const = default;
};

// Symbolic links are followed.
FileStamp stamp_of(const std::string& path);
std::vector<FileStamp> stamps_of(const std::vector<std::string>& paths);

}  // namespace patchbay
