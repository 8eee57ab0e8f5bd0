// The TokenStore keeps what cannot be had again without a person: tokens that came of a sign-in,
// and clients as which we registered ourselves. It is an SQLite file; every value in it is sealed
// with a key that is not, and opens only in the row it was written to.
//
// Calls block; for one thread at a time that may.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/sqlite.h"
#include "crypto/seal.h"

namespace patchbay::oauth {

class TokenStore {
 public:
  // Whose a value is. A client is of no principal.
  struct Key {
    std::string upstream;
    std::string principal;
    std::string issuer;

    auto operator<=>(const Key&) const = default;
  };
  struct Row {
    Key key;
    std::string value;
  };

  // `path` may be `:memory:`: then nothing outlives the process.
  static Result<std::unique_ptr<TokenStore>> open(const std::string& path, policy::Sealer sealer);

  Result<void> put_token(const Key& key, std::string_view value) { return put(true, key, value); }
  Result<void> put_client(const Key& key, std::string_view value) { return put(false, key, value); }

  // The newest first. What does not open with our key is passed over, and counted.
  Result<std::vector<Row>> tokens_of(const std::string& upstream, const std::string& principal);
  Result<std::vector<Row>> clients_of(const std::string& upstream);
  std::uint64_t unreadable() const { return unreadable_; }

  Result<void> remove_token(const Key& key);

 private:
  TokenStore(sqlite::Database database, policy::Sealer sealer)
      : database_(std::move(database)), sealer_(sealer) {}

  Result<void> put(bool token, const Key& key, std::string_view value);
  Result<std::vector<Row>> read(bool tokens, const std::string& upstream,
                                const std::string& principal);

  sqlite::Database database_;
  const policy::Sealer sealer_;
  std::uint64_t unreadable_ = 0;
};

// The key of the store in the folder `state`: made, for its owner alone, if there is none. A key
// that others may read is refused.
Result<policy::Sealer::Key> key_in(const std::string& state);

// A key as the configuration has it: 32 bytes in base64url.
Result<policy::Sealer::Key> parse_key(std::string_view text);

}  // namespace patchbay::oauth
