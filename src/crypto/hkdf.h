// HKDF with SHA-256 (RFC 5869): derives independent keys from one secret. One of them reveals
// neither the secret nor the others.
//
// Pure; usable from any thread.
#pragma once

#include <string_view>

#include "crypto/sha256.h"

namespace patchbay::policy {

// The first 32 bytes of the output for these inputs.
Digest hkdf_sha256(std::string_view secret, std::string_view salt, std::string_view info);

}  // namespace patchbay::policy
