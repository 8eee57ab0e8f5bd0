// The Workspace is the folder of a sandbox, accessed from outside of it. Programs inside may change
// anything in it at any moment, but nothing outside the folder is ever accessed: the kernel
// resolves each path beneath it and follows no link (openat2), and only plain files with one name
// are opened.
//
// Plain calls that may block for a moment: for thread pools. Any number at once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "net/io/fd.h"

namespace patchbay::sandbox {

struct FileEntry {
  std::string name;
  bool is_dir = false;
  std::uint64_t size = 0;      // 0 except for plain files.
  std::string_view type = "";  // file, dir, symlink, other.
};

// A piece of a file.
struct FilePiece {
  std::string bytes;
  std::uint64_t size = 0;  // Of the whole file.
};

class Workspace {
 public:
  explicit Workspace(net::Fd folder) : folder_(std::move(folder)) {}

  // At most `most` bytes from `offset`; Code::too_large if more is requested (by a `length` of 0,
  // the rest of the file). A path that does not exist is Code::resource_not_found.
  Result<FilePiece> read(const std::string& path, std::uint64_t offset, std::uint64_t length,
                         std::uint64_t most) const;

  // Creates the missing folders, and the file or its content.
  Result<void> write(const std::string& path, std::string_view bytes, bool append) const;

  // In the byte order of the names. Code::too_large above `most` entries.
  Result<std::vector<FileEntry>> list(const std::string& path, std::size_t most) const;

  // The path inside, relative to the workspace: `/workspace/a/b` is `a/b`, the workspace itself is
  // `.`. Code::invalid_params if the path is invalid or not in the workspace.
  static Result<std::string> relative(std::string_view path);

 private:
  Result<net::Fd> open_parent(const std::string& path) const;

  const net::Fd folder_;
};

}  // namespace patchbay::sandbox
