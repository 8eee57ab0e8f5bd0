#include "crypto/hkdf.h"

#include <openssl/crypto.h>

#include <array>
#include <cstddef>
#include <string>

namespace patchbay::policy {
namespace {

constexpr std::size_t kBlock = 64;  // Of SHA-256.
using Block = std::array<char, kBlock>;

std::string_view text_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}
std::string_view text_of(const Block& block) { return {block.data(), block.size()}; }

// HMAC (RFC 2104) of two parts, one after the other.
Digest hmac(std::string_view key, std::string_view first, std::string_view second) {
  Digest shorter;
  if (key.size() > kBlock) {
    shorter = sha256_of({key});
    key = text_of(shorter);
  }
  Block inner{};
  Block outer{};
  for (std::size_t i = 0; i < kBlock; ++i) {
    const char byte = i < key.size() ? key[i] : '\0';
    inner[i] = static_cast<char>(byte ^ 0x36);
    outer[i] = static_cast<char>(byte ^ 0x5c);
  }
  const Digest half = sha256_of({text_of(inner), first, second});
  const Digest made = sha256_of({text_of(outer), text_of(half)});
  OPENSSL_cleanse(inner.data(), inner.size());
  OPENSSL_cleanse(outer.data(), outer.size());
  return made;
}

}  // namespace

Digest hkdf_sha256(std::string_view secret, std::string_view salt, std::string_view info) {
  constexpr std::string_view kFirst("\x01", 1);
  Digest extracted = hmac(salt, secret, "");
  const Digest expanded = hmac(text_of(extracted), info, kFirst);
  OPENSSL_cleanse(extracted.data(), extracted.size());
  return expanded;
}

}  // namespace patchbay::policy
