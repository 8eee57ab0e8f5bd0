// `kind: authorization_code`: tokens that a person grants by signing in once; from then on they are
// stored and renewed.
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

// How browsers reach us, and the name under which we introduce ourselves.
struct RedirectEndpoint {
  std::string base;  // https://gateway.example; empty: unknown.
  std::string name;
  bool require_credentials = true;  // Of the person that opens a link.
  std::function<void(policy::AuditRecord)> audit = [](policy::AuditRecord) {};

  std::string callback(const std::string& upstream) const;
  // The URL of our client metadata document; empty if authorization servers cannot reach it.
  std::string document(const std::string& upstream) const;
};

class SignInToken final : public Supplier {
 public:
  // REQUIRES: the arguments outlive it.
  SignInToken(std::shared_ptr<const Plan> plan, Caller caller, Records& records,
              const RedirectEndpoint& redirect_endpoint)
      : directory_(std::move(plan)),
        caller_(std::move(caller)),
        records_(records),
        redirect_endpoint_(redirect_endpoint) {}

  bool knows_issuer() const override { return !loaded_ || grant_; }
  Task<TokenAnswer> obtain(TokenRequirements requirements) override;
  const Scopes& asked() const override { return asked_; }
  std::string issuer() const override { return grant_ ? grant_->issuer : ""; }

  // Everything that a sign-in needs, except its id and expiry.
  Task<SignIn> prepare(TokenRequirements requirements);
  // Exchanges the code and stores the grant.
  Task<TokenAnswer> complete(const SignIn& sign_in, std::string code);
  // Deletes the grant.
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
  const Caller caller_;
  Records& records_;
  const RedirectEndpoint& redirect_endpoint_;
  std::optional<Grant> grant_;
  Scopes asked_;
  bool loaded_ = false;
};

}  // namespace patchbay::oauth
