// How a value leaves the process: sealed by its keyring, for its table and key. One that was moved
// to another entry cannot be opened. All engines do the same, so that what one has stored could be
// moved to another.
//
// Pure; usable from any thread.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "crypto/keyring.h"

namespace patchbay::store {

std::string seal_value(const policy::Keyring& keys, std::string_view table, std::string_view key,
                       std::string_view value);

// Code::internal: its key is gone, or somebody has changed it.
Result<std::string> open_value(const policy::Keyring& keys, std::string_view table,
                               std::string_view key, std::string_view sealed);

}  // namespace patchbay::store
