// The TokenStore stores data that only a person can restore: tokens of sign-ins, and our client
// registrations. It is an SQLite file. Every value is encrypted with a key that is not in the file,
// and can be decrypted only in the row to which it was written.
//
// Calls block; for one thread at a time that may block.
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
  // The owner of a value. A client has no principal.
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

  // The newest first. Values that cannot be decrypted are skipped and counted.
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

}  // namespace patchbay::oauth
