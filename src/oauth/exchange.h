// Tokens for which we show another one: that of the caller (`kind: token_exchange`, RFC 8693), or
// one that says what our own process is (`kind: jwt_bearer`, RFC 7523).
//
// Confined to the control thread.
#pragma once

#include <string>

#include "oauth/caller_tokens.h"
#include "oauth/supplier.h"

namespace patchbay::oauth {

class ExchangedToken final : public Supplier {
 public:
  // `key` is that of the caller among `tokens`, which outlive this; empty: the gateway itself,
  // which shows what the configuration says.
  ExchangedToken(std::shared_ptr<const Plan> plan, std::string key, CallerTokens& tokens)
      : directory_(std::move(plan)), key_(std::move(key)), tokens_(tokens) {}

  bool knows_where() const override { return directory_.knows_where(); }
  Task<TokenAnswer> obtain(Wish wish) override;
  const Scopes& asked() const override { return asked_; }
  std::string issuer() const override { return directory_.issuer(); }

 private:
  const Plan& plan() const { return directory_.plan(); }
  // What is shown; empty if the gateway has nothing of its own to show.
  Result<std::string> subject();
  Task<TokenAnswer> exchange(std::string subject);
  Task<TokenAnswer> redeem(std::string subject);

  Directory directory_;
  const std::string key_;
  CallerTokens& tokens_;
  Scopes asked_;
};

class AssertedToken final : public Supplier {
 public:
  explicit AssertedToken(std::shared_ptr<const Plan> plan) : directory_(std::move(plan)) {}

  bool knows_where() const override { return directory_.knows_where(); }
  Task<TokenAnswer> obtain(Wish wish) override;
  const Scopes& asked() const override { return asked_; }
  std::string issuer() const override { return directory_.issuer(); }

 private:
  Directory directory_;
  Scopes asked_;
};

}  // namespace patchbay::oauth
