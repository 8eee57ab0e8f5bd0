#include "net/tls/bounds.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <algorithm>
#include <array>
#include <memory>

namespace patchbay::net {
namespace {

// Each costs about a tenth of a millisecond. The finite-field groups, which OpenSSL offers by
// default, cost up to a thousand times that.
constexpr const char* kGroups = "X25519:P-256:P-384";
constexpr const char* kGroupsWithoutX25519 = "P-256:P-384";  // Where a policy forbids X25519.
// A client accepts what servers support, but no finite-field key exchange: the server would choose
// how large its numbers are.
constexpr const char* kClientCiphers = "DEFAULT:!kDHE:!PSK:!SRP";

constexpr int kLongestChain = 8;
constexpr long kLargestChain = 64 * 1024;  // Bytes of the certificates of a peer.
constexpr int kLargestRsaKey = 8192;
constexpr int kLargestRsaExponent = 64;
constexpr int kLargestCurve = 521;

constexpr std::size_t kMostCiphers = 256;
constexpr std::size_t kLargestExtension = 16 * 1024;

// Lists in a greeting of which OpenSSL compares each entry with each.
struct ExtensionBound {
  unsigned type;
  std::size_t most;
};
constexpr std::array kExtensionBounds{
    ExtensionBound{TLSEXT_TYPE_supported_groups, 2 + 2 * 64},
    ExtensionBound{TLSEXT_TYPE_signature_algorithms, 2 + 2 * 128},
    ExtensionBound{TLSEXT_TYPE_signature_algorithms_cert, 2 + 2 * 128},
    ExtensionBound{TLSEXT_TYPE_key_share, 8 * 1024},
    ExtensionBound{TLSEXT_TYPE_application_layer_protocol_negotiation, 1024},
};

std::size_t most_of(int type) {
  const auto* const found =
      std::ranges::find(kExtensionBounds, static_cast<unsigned>(type), &ExtensionBound::type);
  return found == kExtensionBounds.end() ? kLargestExtension : found->most;
}

bool is_small(SSL* session) {
  const unsigned char* bytes = nullptr;
  if (SSL_client_hello_get0_ciphers(session, &bytes) > 2 * kMostCiphers) return false;
  int* types = nullptr;
  std::size_t count = 0;
  if (SSL_client_hello_get1_extensions_present(session, &types, &count) != 1) return false;
  const bool small = std::all_of(types, types + count, [&](int type) {
    std::size_t size = 0;
    const bool there =
        SSL_client_hello_get0_ext(session, static_cast<unsigned>(type), &bytes, &size) == 1;
    return !there || size <= most_of(type);
  });
  OPENSSL_free(types);
  return small;
}

int check_hello(SSL* session, int* alert, void*) {
  if (is_small(session)) return SSL_CLIENT_HELLO_SUCCESS;
  *alert = SSL_AD_DECODE_ERROR;
  return SSL_CLIENT_HELLO_ERROR;
}

bool has_small_exponent(const EVP_PKEY* key) {
  BIGNUM* exponent = nullptr;
  if (EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &exponent) != 1) return false;
  const bool small = BN_num_bits(exponent) <= kLargestRsaExponent;
  BN_free(exponent);
  return small;
}

// Only named curves, so that no peer sends its own.
bool has_named_curve(const EVP_PKEY* key) {
  std::array<char, 64> name{};
  std::size_t size = 0;
  return EVP_PKEY_get_group_name(key, name.data(), name.size(), &size) == 1 && size > 0;
}

bool is_affordable(const X509* certificate) {
  const EVP_PKEY* const key = X509_get0_pubkey(certificate);
  if (!key) return false;
  const int bits = EVP_PKEY_get_bits(key);
  if (EVP_PKEY_is_a(key, "RSA") == 1 || EVP_PKEY_is_a(key, "RSA-PSS") == 1) {
    return bits <= kLargestRsaKey && has_small_exponent(key);
  }
  if (EVP_PKEY_is_a(key, "EC") == 1) return bits <= kLargestCurve && has_named_curve(key);
  return EVP_PKEY_is_a(key, "ED25519") == 1 || EVP_PKEY_is_a(key, "ED448") == 1;
}

// Checks what the peer has sent before any computation with it.
int check_certificates(X509_STORE_CTX* context, void* full) {
  const STACK_OF(X509)* const sent = X509_STORE_CTX_get0_untrusted(context);
  if (sk_X509_num(sent) > kLongestChain + 1) {
    X509_STORE_CTX_set_error(context, X509_V_ERR_CERT_CHAIN_TOO_LONG);
    return 0;
  }
  for (int i = 0; i < sk_X509_num(sent); ++i) {
    if (is_affordable(sk_X509_value(sent, i))) continue;
    X509_STORE_CTX_set_error(context, X509_V_ERR_APPLICATION_VERIFICATION);
    return 0;
  }
  if (full) return X509_verify_cert(context);
  X509_STORE_CTX_set_error(context, X509_V_ERR_CERT_UNTRUSTED);
  return 1;
}

}  // namespace

void bound_handshakes(SSL_CTX* context, CertificateCheck check) {
  if (SSL_CTX_set1_groups_list(context, kGroups) != 1) {
    SSL_CTX_set1_groups_list(context, kGroupsWithoutX25519);
  }
  SSL_CTX_set_cipher_list(context, kClientCiphers);
  SSL_CTX_set_max_cert_list(context, kLargestChain);
  SSL_CTX_set_verify_depth(context, kLongestChain);
  SSL_CTX_set_client_hello_cb(context, check_hello, nullptr);
  // Only whether the pointer is null counts.
  SSL_CTX_set_cert_verify_callback(context, check_certificates,
                                   check == CertificateCheck::full ? context : nullptr);
}

}  // namespace patchbay::net
