#include "policy/auth/jws_signer.h"

#include <fmt/format.h>
#include <openssl/decoder.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <array>

#include "core/base64.h"
#include "json/text.h"
#include "policy/auth/openssl.h"

namespace patchbay::policy {
namespace {

struct SigningAlgorithm {
  std::string_view algorithm;
  const char* key;  // The type of key in OpenSSL.
  int bits;         // Of the curve; 0: any.
  const EVP_MD* (*digest)();
  bool pss;
};

// The first row that fits a key is its default algorithm.
constexpr std::array kSigningAlgorithms{
    SigningAlgorithm{"RS256", "RSA", 0, EVP_sha256, false},
    SigningAlgorithm{"RS384", "RSA", 0, EVP_sha384, false},
    SigningAlgorithm{"RS512", "RSA", 0, EVP_sha512, false},
    SigningAlgorithm{"PS256", "RSA", 0, EVP_sha256, true},
    SigningAlgorithm{"PS384", "RSA", 0, EVP_sha384, true},
    SigningAlgorithm{"PS512", "RSA", 0, EVP_sha512, true},
    SigningAlgorithm{"ES256", "EC", 256, EVP_sha256, false},
    SigningAlgorithm{"ES384", "EC", 384, EVP_sha384, false},
    SigningAlgorithm{"ES512", "EC", 521, EVP_sha512, false},
    SigningAlgorithm{"EdDSA", "ED25519", 0, nullptr, false},
};

using Decoder = std::unique_ptr<OSSL_DECODER_CTX, Freed<OSSL_DECODER_CTX_free>>;

const SigningAlgorithm* find_signing_algorithm(std::string_view name) {
  const auto* const found =
      std::ranges::find(kSigningAlgorithms, name, &SigningAlgorithm::algorithm);
  return found == kSigningAlgorithms.end() ? nullptr : found;
}

bool fits(const SigningAlgorithm& kind, const EVP_PKEY* key) {
  return EVP_PKEY_is_a(key, kind.key) == 1 &&
         (kind.bits == 0 || EVP_PKEY_get_bits(key) == kind.bits);
}

// From the form of OpenSSL to that of RFC 7518: both numbers in full length.
std::string joined(const std::string& der, int bits) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  const EcSignature parts(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  const int half = (bits + 7) / 8;
  std::string raw(static_cast<std::size_t>(half) * 2, '\0');
  auto* const into = reinterpret_cast<unsigned char*>(raw.data());
  if (!parts || BN_bn2binpad(ECDSA_SIG_get0_r(parts.get()), into, half) != half ||
      BN_bn2binpad(ECDSA_SIG_get0_s(parts.get()), into + half, half) != half) {
    return {};
  }
  return raw;
}

}  // namespace

Result<JwsSigner> JwsSigner::read(std::string_view pem, std::string_view algorithm) {
  EVP_PKEY* raw = nullptr;
  const Decoder decoder(OSSL_DECODER_CTX_new_for_pkey(&raw, "PEM", nullptr, nullptr,
                                                      EVP_PKEY_KEYPAIR, nullptr, nullptr));
  const auto* data = reinterpret_cast<const unsigned char*>(pem.data());
  std::size_t size = pem.size();
  const bool read = decoder && OSSL_DECODER_from_data(decoder.get(), &data, &size) == 1;
  const std::shared_ptr<EVP_PKEY> key(raw, EVP_PKEY_free);
  if (!read || !key) {
    return Error{Code::invalid_params, "holds no unencrypted private key in PEM"};
  }
  const auto* kind = std::ranges::find_if(kSigningAlgorithms, [&](const auto& one) {
    return fits(one, key.get()) && (algorithm.empty() || one.algorithm == algorithm);
  });
  if (!algorithm.empty() && !find_signing_algorithm(algorithm)) {
    return Error{Code::invalid_params,
                 fmt::format("'{}' is none of RS256, RS384, RS512, PS256, PS384, PS512, ES256, "
                             "ES384, ES512, EdDSA",
                             algorithm)};
  }
  if (kind == kSigningAlgorithms.end()) {
    return Error{
        Code::invalid_params,
        fmt::format("holds a key of another type than {} requires",
                    algorithm.empty() ? "RSA, P-256, P-384, P-521 or Ed25519" : algorithm)};
  }
  if (EVP_PKEY_is_a(key.get(), "RSA") == 1 && EVP_PKEY_get_bits(key.get()) < kLeastModulus) {
    return Error{Code::invalid_params, "holds an RSA key of less than 2048 bits"};
  }
  JwsSigner signer;
  signer.algorithm_ = kind->algorithm;
  signer.key_ = key;
  return signer;
}

Result<std::string> JwsSigner::sign(std::string_view claims, std::string_view kid) const {
  std::string header = fmt::format(R"({{"alg":"{}","typ":"JWT")", algorithm_);
  if (!kid.empty()) header += fmt::format(R"(,"kid":{})", json::quote(kid));
  header += '}';
  const std::string text = base64url_encode(header) + "." + base64url_encode(claims);
  auto made = signature(text);
  if (!made) return made.error();
  return text + "." + base64url_encode(*made);
}

Result<std::string> JwsSigner::signature(const std::string& text) const {
  const Error failed{Code::internal, "the key could not sign"};
  const SigningAlgorithm& kind = *find_signing_algorithm(algorithm_);
  const DigestContext context(EVP_MD_CTX_new());
  EVP_PKEY_CTX* about = nullptr;
  if (!context || EVP_DigestSignInit(context.get(), &about, kind.digest ? kind.digest() : nullptr,
                                     nullptr, key_.get()) != 1) {
    return failed;
  }
  if (kind.pss && (EVP_PKEY_CTX_set_rsa_padding(about, RSA_PKCS1_PSS_PADDING) != 1 ||
                   EVP_PKEY_CTX_set_rsa_pss_saltlen(about, RSA_PSS_SALTLEN_DIGEST) != 1)) {
    return failed;
  }
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t size = 0;
  if (EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) != 1) return failed;
  std::string made(size, '\0');
  auto* const into = reinterpret_cast<unsigned char*>(made.data());
  if (EVP_DigestSign(context.get(), into, &size, bytes, text.size()) != 1) return failed;
  made.resize(size);
  if (kind.bits == 0) return made;
  made = joined(made, kind.bits);
  if (made.empty()) return failed;
  return made;
}

}  // namespace patchbay::policy
