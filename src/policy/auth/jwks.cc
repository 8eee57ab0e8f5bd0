#include "policy/auth/jwks.h"

#include <fmt/format.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <array>

#include "core/base64.h"
#include "json/index.h"
#include "json/read.h"
#include "policy/auth/openssl.h"

namespace patchbay::policy {

enum class KeyKind : std::uint8_t { rsa, rsa_pss, ec, ed25519 };

struct JwsAlgorithm {
  std::string_view name;
  KeyKind kind;
  const EVP_MD* (*digest)();
  std::string_view curve;  // The name in a JWK.
  const char* group;       // The name in OpenSSL.
  std::size_t part;        // Bytes of each half of an ECDSA signature.
};

std::string_view name_of(const JwsAlgorithm& algorithm) { return algorithm.name; }

namespace {

constexpr std::array kAlgorithms{
    JwsAlgorithm{"RS256", KeyKind::rsa, EVP_sha256, "", "", 0},
    JwsAlgorithm{"RS384", KeyKind::rsa, EVP_sha384, "", "", 0},
    JwsAlgorithm{"RS512", KeyKind::rsa, EVP_sha512, "", "", 0},
    JwsAlgorithm{"PS256", KeyKind::rsa_pss, EVP_sha256, "", "", 0},
    JwsAlgorithm{"PS384", KeyKind::rsa_pss, EVP_sha384, "", "", 0},
    JwsAlgorithm{"PS512", KeyKind::rsa_pss, EVP_sha512, "", "", 0},
    JwsAlgorithm{"ES256", KeyKind::ec, EVP_sha256, "P-256", "P-256", 32},
    JwsAlgorithm{"ES384", KeyKind::ec, EVP_sha384, "P-384", "P-384", 48},
    JwsAlgorithm{"ES512", KeyKind::ec, EVP_sha512, "P-521", "P-521", 66},
    JwsAlgorithm{"EdDSA", KeyKind::ed25519, nullptr, "Ed25519", "", 0},
};

constexpr std::size_t kMostKeySetValues = 20'000;  // In a key set.
constexpr int kMostModulus = 8192;                 // Larger keys are slow to verify with.
constexpr std::size_t kMostExponent = 8;
constexpr std::size_t kEd25519 = 32;

using Params = std::unique_ptr<OSSL_PARAM, Freed<OSSL_PARAM_free>>;
using ParamBuilder = std::unique_ptr<OSSL_PARAM_BLD, Freed<OSSL_PARAM_BLD_free>>;
using Number = std::unique_ptr<BIGNUM, Freed<BN_free>>;
using PkeyContext = std::unique_ptr<EVP_PKEY_CTX, Freed<EVP_PKEY_CTX_free>>;

Error unusable(std::string_view why) { return {Code::invalid_params, std::string(why)}; }

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
int length(std::string_view text) { return static_cast<int>(text.size()); }

std::optional<std::string> binary_member(std::string_view jwk, std::string_view name) {
  const auto text = json::string_member(jwk, name);
  return text ? base64url_decode(*text) : std::nullopt;
}

std::shared_ptr<EVP_PKEY> make_key(const char* type, OSSL_PARAM_BLD* builder) {
  const Params params(OSSL_PARAM_BLD_to_param(builder));
  const PkeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* key = nullptr;
  if (!params || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params.get()) != 1) {
    return nullptr;
  }
  return {key, EVP_PKEY_free};
}

Result<std::shared_ptr<EVP_PKEY>> rsa_key(std::string_view jwk) {
  const auto n = binary_member(jwk, "n");
  const auto e = binary_member(jwk, "e");
  if (!n || !e || n->size() > kMostModulus / 8 + 1 || e->empty() || e->size() > kMostExponent) {
    return unusable("an RSA key needs n and e, of at most 8192 and 64 bits");
  }
  const Number modulus(BN_bin2bn(bytes(*n), length(*n), nullptr));
  const Number exponent(BN_bin2bn(bytes(*e), length(*e), nullptr));
  if (!modulus || !exponent || BN_num_bits(modulus.get()) < kLeastModulus ||
      BN_num_bits(modulus.get()) > kMostModulus || !BN_is_odd(exponent.get()) ||
      BN_is_one(exponent.get())) {
    return unusable("an RSA key has 2048 to 8192 bits and an odd exponent above 1");
  }
  const ParamBuilder builder(OSSL_PARAM_BLD_new());
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, modulus.get());
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, exponent.get());
  return make_key("RSA", builder.get());
}

Result<std::shared_ptr<EVP_PKEY>> ec_key(std::string_view jwk, const JwsAlgorithm& algorithm) {
  const auto x = binary_member(jwk, "x");
  const auto y = binary_member(jwk, "y");
  if (!x || !y || x->size() != algorithm.part || y->size() != algorithm.part) {
    return unusable("an EC key needs x and y in the length of its curve");
  }
  const std::string point = "\x04" + *x + *y;
  const ParamBuilder builder(OSSL_PARAM_BLD_new());
  OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, algorithm.group, 0);
  OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                   point.size());
  return make_key("EC", builder.get());
}

Result<std::shared_ptr<EVP_PKEY>> ed25519_key(std::string_view jwk) {
  const auto x = binary_member(jwk, "x");
  if (!x || x->size() != kEd25519) return unusable("an Ed25519 key needs x of 32 bytes");
  return std::shared_ptr<EVP_PKEY>(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes(*x), x->size()), EVP_PKEY_free);
}

std::string_view type_of(KeyKind kind) {
  if (kind == KeyKind::ec) return "EC";
  return kind == KeyKind::ed25519 ? "OKP" : "RSA";
}

// The algorithm that the key names, else the default of its type and curve.
const JwsAlgorithm* pinned(std::string_view jwk) {
  const auto type = json::string_member(jwk, "kty").value_or("");
  const auto curve = json::string_member(jwk, "crv").value_or("");
  const auto stated = json::string_member(jwk, "alg");
  for (const auto& one : kAlgorithms) {
    const bool fits = type_of(one.kind) == type && one.curve == curve;
    if (fits && (!stated || *stated == one.name)) return &one;
  }
  return nullptr;
}

// Whether `use` and `key_ops` (RFC 7517, 4.2 and 4.3) allow verification. A key with an invalid one
// of them is not used.
bool verifies(std::string_view jwk) {
  if (const auto use = json::member(jwk, "use"); use && json::as_string(*use) != "sig")
    return false;
  const auto operations = json::member(jwk, "key_ops");
  if (!operations) return true;
  bool found = false;
  if (json::type_of(*operations) != json::Type::array) return false;
  json::each_element(*operations,
                     [&](std::string_view one) { found |= json::as_string(one) == "verify"; });
  return found;
}

// An ECDSA signature in the form of OpenSSL, from the two numbers of a JWS.
std::string der_of(std::string_view signature, std::size_t part) {
  if (signature.size() != 2 * part) return {};
  const EcSignature pair(ECDSA_SIG_new());
  BIGNUM* const r = BN_bin2bn(bytes(signature), static_cast<int>(part), nullptr);
  BIGNUM* const s = BN_bin2bn(bytes(signature) + part, static_cast<int>(part), nullptr);
  // Zero is not valid in a signature; some implementations accept it for any message.
  if (!pair || !r || !s || BN_is_zero(r) || BN_is_zero(s)) {
    BN_free(r);
    BN_free(s);
    return {};
  }
  ECDSA_SIG_set0(pair.get(), r, s);
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(pair.get(), &der);
  if (size <= 0) return {};
  std::string text(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
  OPENSSL_free(der);
  return text;
}

}  // namespace

const JwsAlgorithm* find_algorithm(std::string_view name) {
  const auto* const found = std::ranges::find(kAlgorithms, name, &JwsAlgorithm::name);
  return found == kAlgorithms.end() ? nullptr : found;
}

Result<JwsKey> JwsKey::read(std::string_view jwk) {
  JwsKey made;
  const auto kid = json::member(jwk, "kid");
  const auto name = kid ? json::as_string(*kid) : std::string();
  if (!name || name->size() > kMostKeyId)
    return unusable("kid is not a string of at most 256 bytes");
  made.kid_ = *name;
  if (!verifies(jwk)) return unusable("it is not for signatures");
  made.algorithm_ = pinned(jwk);
  if (!made.algorithm_) return unusable("its type or algorithm is not supported");
  auto key = made.algorithm_->kind == KeyKind::ec        ? ec_key(jwk, *made.algorithm_)
             : made.algorithm_->kind == KeyKind::ed25519 ? ed25519_key(jwk)
                                                         : rsa_key(jwk);
  if (!key) return key.error();
  if (!*key) return unusable("its numbers are not a valid key");
  made.key_ = *std::move(key);
  return made;
}

bool JwsKey::verify(std::string_view text, std::string_view signature) const {
  std::string der;
  if (algorithm_->kind == KeyKind::ec) {
    der = der_of(signature, algorithm_->part);
    if (der.empty()) return false;
    signature = der;
  }
  const DigestContext context(EVP_MD_CTX_new());
  EVP_PKEY_CTX* how = nullptr;
  const EVP_MD* const digest = algorithm_->digest ? algorithm_->digest() : nullptr;
  if (!context || EVP_DigestVerifyInit(context.get(), &how, digest, nullptr, key_.get()) != 1) {
    return false;
  }
  if (algorithm_->kind == KeyKind::rsa_pss &&
      (EVP_PKEY_CTX_set_rsa_padding(how, RSA_PKCS1_PSS_PADDING) != 1 ||
       EVP_PKEY_CTX_set_rsa_pss_saltlen(how, RSA_PSS_SALTLEN_DIGEST) != 1)) {
    return false;
  }
  return EVP_DigestVerify(context.get(), bytes(signature), signature.size(), bytes(text),
                          text.size()) == 1;
}

Result<KeySet> KeySet::parse(std::string_view text, std::size_t most) {
  auto index = json::Index::of(text, kMostKeySetValues);
  if (!index) return index.error();
  const auto list = json::member(text, "keys");
  if (!list || json::type_of(*list) != json::Type::array) {
    return Error{Code::invalid_params, "a key set is an object with the list `keys`"};
  }
  KeySet set;
  std::size_t count = 0;
  json::each_element(*list, [&](std::string_view jwk) {
    if (++count > most) return;
    auto key = JwsKey::read(jwk);
    if (key) set.keys_.push_back(*std::move(key));
  });
  if (count > most) return Error{Code::too_large, fmt::format("more than {} keys", most)};
  if (set.keys_.empty()) return Error{Code::invalid_params, "no key in it can be used"};
  return set;
}

const JwsKey* KeySet::find(std::string_view kid, const JwsAlgorithm& algorithm) const {
  const JwsKey* found = nullptr;
  for (const auto& key : keys_) {
    if (&key.algorithm() != &algorithm || (!kid.empty() && key.kid() != kid)) continue;
    if (found) return nullptr;  // Ambiguous.
    found = &key;
  }
  return found;
}

}  // namespace patchbay::policy
