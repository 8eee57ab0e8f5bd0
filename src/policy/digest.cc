#include "policy/digest.h"

#include <openssl/evp.h>
#include <sys/random.h>

#include <cstdlib>
#include <memory>

namespace patchbay::policy {
namespace {

// Looking the algorithm up takes longer than using it, so each thread keeps one at hand.
EVP_MD_CTX* hasher() {
  static EVP_MD* const kind = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  thread_local const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(
      EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  // Without memory nobody can be recognised, and guessing is no choice.
  if (!kind || !context || EVP_DigestInit_ex2(context.get(), kind, nullptr) != 1) std::abort();
  return context.get();
}

}  // namespace

Result<Digester> Digester::random() {
  Digest key;
  if (::getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size())) {
    return Error{Code::internal, "there is no randomness to make a key from"};
  }
  return Digester(key);
}

Digest Digester::of(std::string_view kind, std::string_view text) const {
  EVP_MD_CTX* const context = hasher();
  const std::size_t length = kind.size();
  Digest made;
  const bool done = EVP_DigestUpdate(context, key_.data(), key_.size()) == 1 &&
                    EVP_DigestUpdate(context, &length, sizeof length) == 1 &&
                    EVP_DigestUpdate(context, kind.data(), kind.size()) == 1 &&
                    EVP_DigestUpdate(context, text.data(), text.size()) == 1 &&
                    EVP_DigestFinal_ex(context, made.data(), nullptr) == 1;
  if (!done) std::abort();
  return made;
}

}  // namespace patchbay::policy
