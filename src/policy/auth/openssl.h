// The shared part of reading keys and signing: owners of OpenSSL's objects, and the weakest key.
//
// Facts and owners only; usable from any thread.
#pragma once

#include <openssl/ec.h>
#include <openssl/evp.h>

#include <memory>

namespace patchbay::policy {

inline constexpr int kLeastModulus = 2048;  // Bits of an RSA key.

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* what) const {
    Free(what);
  }
};
using DigestContext = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>>;
using EcSignature = std::unique_ptr<ECDSA_SIG, Freed<ECDSA_SIG_free>>;

}  // namespace patchbay::policy
