// Reads a small file as a whole, and looks at who else may change it. Blocks on the file system:
// for start, reload and commands, not for the path of a call.
#pragma once

#include <string>

#include "core/result.h"

namespace patchbay::config {

struct FileText {
  std::string text;
  bool writable_by_others = false;
};

// Fails, with a sentence that fits behind the name of the file, unless `path` is a regular file of
// at most `limit` bytes.
Result<FileText> read_file(const std::string& path, std::size_t limit);

}  // namespace patchbay::config
