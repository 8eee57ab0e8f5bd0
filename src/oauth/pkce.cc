#include "oauth/pkce.h"

#include "core/base64.h"
#include "core/ids.h"
#include "crypto/sha256.h"

namespace patchbay::oauth {
namespace {

std::string from_hex(std::string_view hex) {
  const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(value(hex[i]) * 16 + value(hex[i + 1]));
  }
  return bytes;
}

}  // namespace

std::string new_verifier() { return base64url_encode(from_hex(random_hex(32))); }

std::string challenge_of(std::string_view verifier) {
  return base64url_encode(from_hex(policy::sha256(verifier)));
}

}  // namespace patchbay::oauth
