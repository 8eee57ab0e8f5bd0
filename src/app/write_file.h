// Files that commands and the gateway write: as a whole or not at all, with a difference for the
// person to see.
//
// Blocks on the file system: for the control thread and commands.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::app {

// Modes of a file: as the umask has it, and for its owner alone.
inline constexpr unsigned kAnyMode = 0666;
inline constexpr unsigned kPrivateMode = 0600;

// Replaces the file atomically, so that a reader sees the old or the new one. A link stays one: its
// target is replaced. A new file gets `mode`, less the umask; an existing one keeps the bits of its
// mode that `mode` has.
Result<void> replace_file(const std::string& path, std::string_view text, unsigned mode);

// The same for a file that must not exist: Code::invalid_request if it does.
Result<void> create_file(const std::string& path, std::string_view text, unsigned mode);

// Code::unavailable if the file exists and nobody may write to it. Replacing a file needs no right
// to write to it, but its owner has taken that right away.
Result<void> check_writable(const std::string& path);

// What changes, as unified lines with the name of the file; empty if nothing does.
std::string line_difference(std::string_view before, std::string_view after, std::string_view name);

}  // namespace patchbay::app
