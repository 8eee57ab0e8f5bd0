#include "policy/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <cstdlib>

namespace patchbay::policy {

std::string sha256(std::string_view text) {
  std::array<unsigned char, 32> digest{};
  // Fails only without memory; a wrong digest would be worse than no gateway.
  if (EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1) {
    std::abort();
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(2 * digest.size());
  for (const unsigned char byte : digest) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

}  // namespace patchbay::policy
