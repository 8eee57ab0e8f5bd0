// A Sealer turns text into a token that only holders of the same key can make, read or change
// without being found out (AES-256-GCM). It is for state that a client keeps for us and brings
// back.
//
// The context (who it is for, what it is about) is not in the token: it must be the same when the
// token is opened. Nonces are random, so a key is good for 2^32 tokens; then it should be replaced.
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

  // With a key of its own, which is gone when the process is.
  static Result<Sealer> random();

  // A token in base64url.
  std::string seal(std::string_view plain, std::string_view context) const;

  // A short mark of `text` that nobody without the key can make; the same each time, in base64url.
  std::string mark(std::string_view text) const;
  // How long that takes says nothing about what is wrong.
  bool is_mark(std::string_view mark, std::string_view text) const;

  // The error is Code::invalid_params and says nothing about what is wrong.
  Result<std::string> open(std::string_view sealed, std::string_view context) const;

 private:
  Key key_;
};

}  // namespace patchbay::policy
