// Tokens that are issued in exchange for another one: that of the caller (`kind: token_exchange`,
// RFC 8693), or one that identifies our own process (`kind: jwt_bearer`, RFC 7523).
//
// Confined to the control thread.
#pragma once

#include <string>

#include "oauth/caller_tokens.h"
#include "oauth/supplier.h"

namespace patchbay::oauth {

class ExchangedToken final : public RequestedToken {
 public:
  // `key` is that of the caller in `tokens`, which outlive this; empty: the gateway itself, which
  // uses the configured token.
  ExchangedToken(std::shared_ptr<const Plan> plan, std::string key, CallerTokens& tokens)
      : RequestedToken(std::move(plan)), key_(std::move(key)), tokens_(tokens) {}

  Task<TokenAnswer> obtain(TokenRequirements requirements) override;

 private:
  const Plan& plan() const { return directory_.plan(); }
  // The token to exchange; empty if the gateway has none of its own.
  Result<std::string> subject();
  Task<TokenAnswer> exchange(std::string subject);
  Task<TokenAnswer> redeem(std::string subject);

  const std::string key_;
  CallerTokens& tokens_;
};

class AssertedToken final : public RequestedToken {
 public:
  explicit AssertedToken(std::shared_ptr<const Plan> plan) : RequestedToken(std::move(plan)) {}

  Task<TokenAnswer> obtain(TokenRequirements requirements) override;
};

}  // namespace patchbay::oauth
