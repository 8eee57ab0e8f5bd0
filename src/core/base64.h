// Base64 (RFC 4648) in both alphabets. Decoding is strict: each text has one encoding, so that no
// change goes unnoticed. Values only; usable from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace patchbay {

// `+` and `/`, padded with `=`.
std::string base64_encode(std::string_view bytes);
std::optional<std::string> base64_decode(std::string_view text);

// `-` and `_`, without padding: safe in URLs and in JSON.
std::string base64url_encode(std::string_view bytes);
std::optional<std::string> base64url_decode(std::string_view text);

}  // namespace patchbay
