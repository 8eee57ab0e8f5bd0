// `kind: authorization_code`: tokens that a person gives by signing in, once; from then on they are
// kept and renewed.
//
// Confined to the control thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "oauth/grant.h"
#include "oauth/records.h"
#include "oauth/registration.h"
#include "oauth/sign_in.h"
#include "oauth/supplier.h"
#include "policy/audit/record.h"

namespace patchbay::oauth {

// How browsers reach us, and what people are told who we are.
struct RedirectEndpoint {
  std::string base;  // https://gateway.example; empty: nobody has said.
  std::string name;
  bool require_credentials = true;  // Of the person who opens a link.
  std::function<void(policy::AuditRecord)> audit = [](policy::AuditRecord) {};

  std::string callback(const std::string& upstream) const;
  // Where the document about us is that authorization servers may read; empty if they cannot.
  std::string document(const std::string& upstream) const;
};

class SignInToken final : public Supplier {
 public:
  // REQUIRES: what is referred to outlives it.
  SignInToken(std::shared_ptr<const Plan> plan, Caller who, Records& records,
              const RedirectEndpoint& redirect_endpoint)
      : directory_(std::move(plan)),
        who_(std::move(who)),
        records_(records),
        redirect_endpoint_(redirect_endpoint) {}

  bool knows_where() const override { return !loaded_ || grant_; }
  Task<TokenAnswer> obtain(Wish wish) override;
  const Scopes& asked() const override { return asked_; }
  std::string issuer() const override { return grant_ ? grant_->issuer : ""; }

  // Everything that a person needs to be sent away with, but the id and the time.
  Task<SignIn> prepare(Wish wish);
  // Exchanges what the person has come back with, and keeps what that yields.
  Task<TokenAnswer> complete(const SignIn& sign_in, std::string code);
  // Lets go of what was given.
  Task<void> forget();

 private:
  const Plan& plan() const { return directory_.plan(); }
  TokenStore::Key key(std::string issuer) const;
  Task<void> load();
  Task<void> save();
  Task<void> drop();
  Task<TokenAnswer> renew();
  Task<Client> client_for(const ServerMetadata& server);
  Task<std::optional<Registered>> known_client(const std::string& issuer);

  Directory directory_;
  const Caller who_;
  Records& records_;
  const RedirectEndpoint& redirect_endpoint_;
  std::optional<Grant> grant_;
  Scopes asked_;
  bool loaded_ = false;
};

}  // namespace patchbay::oauth
