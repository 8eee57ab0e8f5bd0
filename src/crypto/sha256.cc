#include "crypto/sha256.h"

#include <openssl/evp.h>

#include <cstdlib>
#include <memory>

namespace patchbay::policy {
namespace {

// Looking up the algorithm takes longer than using it, so each thread caches one.
EVP_MD_CTX* hasher() {
  static EVP_MD* const kind = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  thread_local const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(
      EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  // Fails only without memory; a wrong digest would be worse than no gateway.
  if (!kind || !context || EVP_DigestInit_ex2(context.get(), kind, nullptr) != 1) std::abort();
  return context.get();
}

}  // namespace

Digest sha256_of(std::initializer_list<std::string_view> parts) {
  EVP_MD_CTX* const context = hasher();
  Digest made;
  for (const auto part : parts) {
    if (EVP_DigestUpdate(context, part.data(), part.size()) != 1) std::abort();
  }
  if (EVP_DigestFinal_ex(context, made.data(), nullptr) != 1) std::abort();
  return made;
}

std::string sha256(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const Digest digest = sha256_of({text});
  std::string out(2 * digest.size(), '\0');
  for (std::size_t i = 0; i < digest.size(); ++i) {
    out[2 * i] = kDigits[digest[i] >> 4];
    out[2 * i + 1] = kDigits[digest[i] & 15];
  }
  return out;
}

}  // namespace patchbay::policy
