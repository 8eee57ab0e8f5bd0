// A short mark of a text that nobody can make another text for. Pure; usable from any thread.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::policy {

// SHA-256, in 64 hexadecimal digits.
std::string sha256(std::string_view text);

}  // namespace patchbay::policy
