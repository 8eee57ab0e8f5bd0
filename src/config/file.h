// Reads a small file as a whole. Blocks on the file system: for start, reload and commands, not for
// the path of a call.
#pragma once

#include <string>

#include "core/result.h"

namespace patchbay::config {

// Fails, with a message that follows the name of the file, unless `path` is a regular file of at
// most `limit` bytes.
Result<std::string> read_file(const std::string& path, std::size_t limit);

// The same for stdin, which may be a pipe. Waits for its end.
Result<std::string> read_stdin(std::size_t limit);

// The same for a file that grants permissions: configuration, tokens, passwords, keys. Fails also
// if another user may change it, see config/trust.h.
Result<std::string> read_trusted_file(const std::string& path, std::size_t limit);

}  // namespace patchbay::config
