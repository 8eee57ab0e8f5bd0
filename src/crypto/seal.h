// A Sealer encrypts and authenticates text (AES-256-GCM), so that only holders of the same key can
// make, read or change it. It is for state that a client stores for us and returns.
//
// The context (the caller, the subject) is not in the token: it must be the same when the token is
// opened. Nonces are random, so a key lasts for 2^32 tokens; then it should be replaced.
//
// Usable from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::policy {

class Sealer {
 public:
  static constexpr std::size_t kKeySize = 32;
  using Key = std::array<unsigned char, kKeySize>;

  explicit Sealer(const Key& key) : key_(key) {}
  ~Sealer();
  Sealer(const Sealer&) = default;
  Sealer& operator=(const Sealer&) = default;

  // With a random key that lasts as long as the process.
  static Result<Sealer> random();

  // A token in base64url.
  std::string seal(std::string_view plain, std::string_view context) const;

  // A short authentication code of `text`; deterministic, in base64url.
  std::string mark(std::string_view text) const;
  // Takes the same time whatever is wrong.
  bool is_mark(std::string_view mark, std::string_view text) const;

  // Its bytes.
  std::string key() const { return {reinterpret_cast<const char*>(key_.data()), key_.size()}; }

  // The error is Code::invalid_params and does not reveal what is wrong.
  Result<std::string> open(std::string_view sealed, std::string_view context) const;

 private:
  Key key_;
};

}  // namespace patchbay::policy
