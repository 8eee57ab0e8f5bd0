// Proof Key for Code Exchange (RFC 7636), with S256 alone. Pure but for the randomness; usable from
// any thread.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::oauth {

// 43 characters that nobody can guess.
std::string new_verifier();

// What is shown of it first.
std::string challenge_of(std::string_view verifier);

}  // namespace patchbay::oauth
