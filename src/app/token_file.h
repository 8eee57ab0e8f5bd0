// Changes of the file of tokens (auth.token_file), by `patchbay token` and by the running gateway.
// One changes it at a time, under a lock beside it.
//
// Blocks on the file system: for the control thread and commands.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/result.h"
#include "policy/auth/token_table.h"

namespace patchbay::app {

// A missing file has no tokens.
Result<policy::TokenTable> read_token_file(const std::string& path);

using TokenChange = std::function<Result<void>(policy::TokenTable&)>;

enum class WhenLocked : std::uint8_t { wait, give_up };

// Reads, changes and writes the file. False: another process is changing it (WhenLocked::give_up).
// If `change` fails, the file is as before.
Result<bool> change_token_file(const std::string& path, WhenLocked when, const TokenChange& change);

}  // namespace patchbay::app
