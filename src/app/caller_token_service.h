// The CallerTokenService makes and revokes tokens in the file that the configuration names
// (frontends/caller_tokens.h): the file of `patchbay token`, and no other.
//
// Lives on the control thread, to which the functions of the interface hop.
#pragma once

#include <functional>
#include <string>

#include "app/auth_service.h"
#include "app/token_file.h"
#include "async/executor.h"
#include "frontends/caller_tokens.h"

namespace patchbay::app {

class CallerTokenService final : public frontends::CallerTokens {
 public:
  using Spread = std::function<Task<void>()>;

  // `spread` yields once every worker uses the newest Authenticator. REQUIRES: what is referred to
  // outlives this.
  CallerTokenService(Executor& control, AuthService& auth, Spread spread)
      : control_(control), auth_(auth), spread_(std::move(spread)) {}

  Task<frontends::TokenStore> store() override;
  Task<void> add(policy::StoredToken token) override;
  Task<policy::StoredToken> revoke(std::string id) override;

 private:
  Task<void> change(TokenChange change);
  Result<bool> change_now(const TokenChange& change);

  Executor& control_;
  AuthService& auth_;
  const Spread spread_;
};

}  // namespace patchbay::app
