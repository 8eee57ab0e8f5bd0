// Proof Key for Code Exchange (RFC 7636), with S256 alone. Pure but for the randomness; usable from
// any thread.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::oauth {

// 43 random characters.
std::string new_verifier();

// The challenge, which is sent first.
std::string challenge_of(std::string_view verifier);

}  // namespace patchbay::oauth
