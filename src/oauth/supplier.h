// A Supplier gets tokens in one of the ways that there are: from the configuration, as a client of
// our own, from a person who signs in, in exchange for a caller's own.
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

// What is known of the token that is wanted.
struct Wish {
  std::optional<Challenge> challenge;  // The last refusal for want of a token.
  Scopes more;                         // Scopes that calls turned out to need.
  bool refused = false;                // The last token was: who gives tokens may have changed.
  bool insufficient = false;           // The last token was good, but not for all of `more`.
};

class Supplier {
 public:
  virtual ~Supplier() = default;

  // False: the upstream must be asked without a token first, and say where to get one.
  virtual bool knows_where() const = 0;

  // A token; one without a text if there is nothing to show yet. Code::forbidden if a person must
  // do something first. One at a time.
  virtual Task<TokenAnswer> obtain(Wish wish) = 0;

  // The scopes that the last one was asked for.
  virtual const Scopes& asked() const = 0;

  // Whoever gives them, for the log; empty if nobody does.
  virtual std::string issuer() const = 0;
};

// Who gives tokens for an upstream: found out once, and again when that is in doubt.
class Directory {
 public:
  explicit Directory(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

  const Plan& plan() const { return *plan_; }
  bool knows_where() const;
  Task<void> look(const Wish& wish);
  void forget() { found_.reset(); }

  // REQUIRES: look() has succeeded since forget().
  const Discovered& found() const { return *found_; }
  std::string issuer() const { return found_ ? found_->server.issuer : ""; }

  // Those to ask for.
  Scopes scopes(const Wish& wish) const;

 private:
  const std::shared_ptr<const Plan> plan_;
  std::optional<Discovered> found_;
};

// `kind: bearer`.
class ConfiguredToken final : public Supplier {
 public:
  explicit ConfiguredToken(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

  bool knows_where() const override { return true; }
  Task<TokenAnswer> obtain(Wish wish) override;
  const Scopes& asked() const override { return none_; }
  std::string issuer() const override { return {}; }

 private:
  const std::shared_ptr<const Plan> plan_;
  const Scopes none_;
};

// `kind: client_credentials`.
class OwnToken final : public Supplier {
 public:
  explicit OwnToken(std::shared_ptr<const Plan> plan) : directory_(std::move(plan)) {}

  bool knows_where() const override { return directory_.knows_where(); }
  Task<TokenAnswer> obtain(Wish wish) override;
  const Scopes& asked() const override { return asked_; }
  std::string issuer() const override { return directory_.issuer(); }

 private:
  Directory directory_;
  Scopes asked_;
};

}  // namespace patchbay::oauth
