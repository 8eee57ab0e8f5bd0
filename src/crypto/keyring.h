// The Keyring seals what clients hold for the gateway, and what the gateway stores outside its
// memory. It has one or more secrets: the first one seals, all of them open, so that a secret can
// be replaced without anything becoming invalid. Each secret gives a key of its own for each
// purpose.
//
// A token begins with the fingerprint of its key, so that only this key is tried. Nonces are
// random: see crypto/seal.h for how long a key lasts.
//
// Usable from any thread. use() replaces the keys; calls in progress finish with those that they
// have begun with.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "crypto/seal.h"

namespace patchbay::policy {

// What a token is for. A token for one purpose is none for any other.
enum class Purpose : std::uint8_t { sessions, parked_calls, tasks, store, links };
inline constexpr std::size_t kPurposes = 5;

class Keyring {
 public:
  // Shorter secrets could be guessed.
  static constexpr std::size_t kLeastSecret = 32;
  // Characters in front of each token.
  static constexpr std::size_t kFingerprint = 4;

  // REQUIRES: there is at least one secret.
  explicit Keyring(const std::vector<std::string>& secrets) { use(secrets); }
  Keyring(const Keyring&) = delete;
  Keyring& operator=(const Keyring&) = delete;

  // A secret that lasts as long as the process.
  static Result<std::string> random_secret();

  // Replaces all secrets. REQUIRES: there is at least one.
  void use(const std::vector<std::string>& secrets);

  // The context must be the same when the token is opened; it is not in the token. Base64url.
  std::string seal(Purpose purpose, std::string_view plain, std::string_view context) const;

  // The error is Code::invalid_params and does not reveal what is wrong.
  Result<std::string> open(Purpose purpose, std::string_view token, std::string_view context) const;

  // A short authentication code of `text`; the same for the same text and key.
  std::string mark(Purpose purpose, std::string_view text) const;
  bool is_mark(Purpose purpose, std::string_view mark, std::string_view text) const;

  // The keys for one purpose, for code that does not seal: the newest first.
  struct Derived {
    std::string fingerprint;
    std::string key;  // 32 bytes.
  };
  std::vector<Derived> derived(Purpose purpose) const;

  // Whether a token was made with one of these keys, as far as its beginning says.
  bool knows(Purpose purpose, std::string_view token) const;

 private:
  struct Key {
    std::string fingerprint;
    Sealer sealer;
  };
  using Keys = std::array<std::vector<Key>, kPurposes>;

  std::shared_ptr<const Keys> keys() const;
  static const std::vector<Key>& of(const Keys& keys, Purpose purpose) {
    return keys[static_cast<std::size_t>(purpose)];
  }

  mutable std::mutex mutex_;
  std::shared_ptr<const Keys> keys_;
};

}  // namespace patchbay::policy
