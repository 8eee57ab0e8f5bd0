// SHA-256.
//
// Pure; usable from any thread. Allocates nothing after the first use on a thread.
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>

namespace patchbay::policy {

using Digest = std::array<unsigned char, 32>;

// SHA-256 of the parts, one after the other.
Digest sha256_of(std::initializer_list<std::string_view> parts);

// SHA-256, in 64 hexadecimal digits.
std::string sha256(std::string_view text);

}  // namespace patchbay::policy
