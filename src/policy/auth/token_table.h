// A TokenTable is the file of tokens that `patchbay token` keeps: one JSON object a line, with the
// hash of each token and what its caller may be called. Values only; reading and writing the file
// itself is up to the user.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "policy/auth/token_hash.h"

namespace patchbay::policy {

using WallTime = std::chrono::system_clock::time_point;

struct StoredToken {
  TokenHash hash;
  std::string name;
  std::vector<std::string> roles;
  std::vector<std::string> scopes;
  std::int64_t created = 0;             // Seconds since 1970.
  std::optional<std::int64_t> expires;  // Valid before that.
};

class TokenTable {
 public:
  static constexpr std::size_t kMostTokens = 100'000;
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  // The error names the line.
  static Result<TokenTable> parse(std::string_view text);
  std::string text() const;

  const std::vector<StoredToken>& tokens() const { return tokens_; }
  void add(StoredToken token) { tokens_.push_back(std::move(token)); }

  // All tokens of that name, or the one with that id. Yields how many there were.
  std::size_t revoke(std::string_view name_or_id);

 private:
  std::vector<StoredToken> tokens_;
};

// A token as a JSON object without its hash.
std::string describe(const StoredToken& token);

}  // namespace patchbay::policy
