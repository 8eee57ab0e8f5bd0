// The tokens of callers in the file of tokens (auth.token_file), as admins make and revoke them
// while the gateway runs. The file has only hashes; a token itself is known to the one who made it.
//
// Callable on any worker.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "async/task.h"
#include "policy/auth/token_table.h"

namespace patchbay::frontends {

// What may be made, and where it is stored.
struct TokenStore {
  bool needed = false;      // False: callers need no credentials.
  std::string closed = {};  // Why no token can be made; empty: one can.
  std::size_t max_tokens = 0;
  std::chrono::seconds max_lifetime{0};
  // The stored tokens. Blocks; callable on any thread. Empty if there is no store.
  std::function<Result<std::vector<policy::StoredToken>>()> read = {};
};

class CallerTokens {
 public:
  virtual ~CallerTokens() = default;

  virtual Task<TokenStore> store() = 0;
  // Every worker accepts the token from then on. Code::overloaded: there are auth.max_tokens.
  virtual Task<void> add(policy::StoredToken token) = 0;
  // No worker accepts it from then on. Yields the token; Code::not_found if there is none with that
  // id.
  virtual Task<policy::StoredToken> revoke(std::string id) = 0;
};

}  // namespace patchbay::frontends
