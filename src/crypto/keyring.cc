#include "crypto/keyring.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sys/random.h>

#include <algorithm>

#include "core/base64.h"
#include "crypto/hkdf.h"

namespace patchbay::policy {
namespace {

constexpr std::string_view kSalt = "patchbay keyring";
constexpr std::size_t kFingerprintBytes = 3;
// In the order of the enum. A name never changes its meaning.
constexpr std::array<std::string_view, kPurposes> kNames{"sessions", "parked calls", "tasks",
                                                         "store", "links"};

}  // namespace

Result<std::string> Keyring::random_secret() {
  std::string secret(kLeastSecret, '\0');
  if (::getrandom(secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size())) {
    return Error{Code::internal, "there is no randomness to make a key from"};
  }
  return secret;
}

void Keyring::use(const std::vector<std::string>& secrets) {
  auto made = std::make_shared<Keys>();
  for (std::size_t i = 0; i < kPurposes; ++i) {
    for (const auto& secret : secrets) {
      Digest key = hkdf_sha256(secret, kSalt, fmt::format("{} key", kNames[i]));
      const Digest name = hkdf_sha256(secret, kSalt, fmt::format("{} fingerprint", kNames[i]));
      const std::string_view first(reinterpret_cast<const char*>(name.data()), kFingerprintBytes);
      (*made)[i].push_back({base64url_encode(first), Sealer(key)});
      OPENSSL_cleanse(key.data(), key.size());
    }
  }
  const std::lock_guard lock(mutex_);
  keys_ = std::move(made);
}

std::shared_ptr<const Keyring::Keys> Keyring::keys() const {
  const std::lock_guard lock(mutex_);
  return keys_;
}

std::string Keyring::seal(Purpose purpose, std::string_view plain, std::string_view context) const {
  const auto all = keys();
  const Key& newest = of(*all, purpose).front();
  const std::string sealed = newest.sealer.seal(plain, context);
  std::string token;  // Of its exact size, since ids of sessions are stored.
  token.reserve(kFingerprint + sealed.size());
  token += newest.fingerprint;
  token += sealed;
  return token;
}

Result<std::string> Keyring::open(Purpose purpose, std::string_view token,
                                  std::string_view context) const {
  const auto all = keys();
  for (const auto& key : of(*all, purpose)) {
    if (!token.starts_with(key.fingerprint)) continue;
    auto opened = key.sealer.open(token.substr(kFingerprint), context);
    if (opened) return opened;
  }
  return Error{Code::invalid_params, "was not made here, or has been changed"};
}

std::string Keyring::mark(Purpose purpose, std::string_view text) const {
  const auto all = keys();
  const Key& newest = of(*all, purpose).front();
  return newest.fingerprint + newest.sealer.mark(text);
}

bool Keyring::is_mark(Purpose purpose, std::string_view mark, std::string_view text) const {
  const auto all = keys();
  return std::ranges::any_of(of(*all, purpose), [&](const Key& key) {
    return mark.starts_with(key.fingerprint) && key.sealer.is_mark(mark.substr(kFingerprint), text);
  });
}

std::vector<Keyring::Derived> Keyring::derived(Purpose purpose) const {
  const auto all = keys();
  std::vector<Derived> given;
  for (const auto& key : of(*all, purpose)) given.push_back({key.fingerprint, key.sealer.key()});
  return given;
}

bool Keyring::knows(Purpose purpose, std::string_view token) const {
  const auto all = keys();
  return std::ranges::any_of(of(*all, purpose),
                             [&](const Key& key) { return token.starts_with(key.fingerprint); });
}

}  // namespace patchbay::policy
