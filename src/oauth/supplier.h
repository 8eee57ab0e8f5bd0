// A Supplier gets tokens from one origin: from the configuration, as a client of our own, from a
// person that signs in, or in exchange for a caller's token.
//
// Confined to the control thread.
#pragma once

#include <memory>
#include <optional>

#include "oauth/challenge.h"
#include "oauth/discovery.h"
#include "oauth/plan.h"
#include "oauth/token_answer.h"

namespace patchbay::oauth {

// What the next token must satisfy.
struct TokenRequirements {
  std::optional<Challenge> challenge;  // The last refusal of a request without a token.
  Scopes more;                         // Additional scopes that calls need.
  bool refused = false;  // The last token was refused: the authorization server may have changed.
  bool insufficient = false;  // The last token was valid, but lacked scopes of `more`.
};

class Supplier {
 public:
  virtual ~Supplier() = default;

  // False: the upstream must be asked without a token first, and its challenge names the issuer.
  virtual bool knows_issuer() const = 0;

  // A token; an empty one if there is none yet. Code::forbidden if a person must act first. One
  // call at a time.
  virtual Task<TokenAnswer> obtain(TokenRequirements requirements) = 0;

  // The requested scopes of the last token.
  virtual const Scopes& asked() const = 0;

  // The issuer of the tokens, for the log; empty if there is none.
  virtual std::string issuer() const = 0;
};

// The discovered authorization server of an upstream; discovery is repeated when it may be
// outdated.
class Directory {
 public:
  explicit Directory(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

  const Plan& plan() const { return *plan_; }
  bool knows_issuer() const;
  Task<void> look(const TokenRequirements& requirements);
  void forget() { found_.reset(); }

  // REQUIRES: look() has succeeded since forget().
  const Discovered& found() const { return *found_; }
  std::string issuer() const { return found_ ? found_->server.issuer : ""; }

  // The scopes to request.
  Scopes scopes(const TokenRequirements& requirements) const;

 private:
  const std::shared_ptr<const Plan> plan_;
  std::optional<Discovered> found_;
};

// `kind: bearer`.
class ConfiguredToken final : public Supplier {
 public:
  explicit ConfiguredToken(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

  bool knows_issuer() const override { return true; }
  Task<TokenAnswer> obtain(TokenRequirements requirements) override;
  const Scopes& asked() const override { return none_; }
  std::string issuer() const override { return {}; }

 private:
  const std::shared_ptr<const Plan> plan_;
  const Scopes none_;
};

// A supplier that requests tokens from the upstream's authorization server.
class RequestedToken : public Supplier {
 public:
  bool knows_issuer() const override { return directory_.knows_issuer(); }
  const Scopes& asked() const override { return asked_; }
  std::string issuer() const override { return directory_.issuer(); }

 protected:
  explicit RequestedToken(std::shared_ptr<const Plan> plan) : directory_(std::move(plan)) {}

  Directory directory_;
  Scopes asked_;  // By the last request.
};

// `kind: client_credentials`.
class OwnToken final : public RequestedToken {
 public:
  explicit OwnToken(std::shared_ptr<const Plan> plan) : RequestedToken(std::move(plan)) {}

  Task<TokenAnswer> obtain(TokenRequirements requirements) override;
};

}  // namespace patchbay::oauth
