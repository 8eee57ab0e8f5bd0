// The key file of the state folder, and keys as text: 32 random bytes in base64url.
//
// Calls block; for threads that may.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "crypto/seal.h"

namespace patchbay::policy {

// The key in the folder `state`; created, readable by its owner only, if there is none. A key that
// others may read is refused. REQUIRES: the folder exists.
Result<Sealer::Key> key_in(const std::string& state);

// A key as text.
Result<Sealer::Key> parse_key(std::string_view text);

}  // namespace patchbay::policy
