// A TokenTable is the file that `patchbay token` maintains: one JSON object per line, with the hash
// of each token and the name of its caller. Values only; its user reads and writes the file.
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
  std::optional<std::int64_t> expires;  // Valid before this time.
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

  // All tokens of that name, or the one with that id. Yields the number of tokens.
  std::size_t revoke(std::string_view name_or_id);
  // The one with that id, whatever the names are.
  void revoke_id(std::string_view id);

 private:
  std::vector<StoredToken> tokens_;
};

// A token as a JSON object without its hash.
std::string describe(const StoredToken& token);

}  // namespace patchbay::policy
