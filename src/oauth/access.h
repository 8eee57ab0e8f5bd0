// An Access gives one upstream its credentials, as long as that upstream exists.
//
// Usable from any thread.
#pragma once

#include <memory>
#include <string>

#include "core/principal.h"
#include "oauth/plan.h"
#include "transport/credentials.h"

namespace patchbay::oauth {

class TokenService;

// A link at which a person can sign in.
struct SignInOffer {
  std::string id;
  std::string url;
};

class Access {
 public:
  // REQUIRES: `service` outlives it.
  Access(TokenService& service, std::shared_ptr<const Plan> plan)
      : service_(service), plan_(std::move(plan)) {}
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;
  ~Access();

  const Plan& plan() const { return *plan_; }

  // The credentials sent to the upstream on behalf of `caller`: one object per caller.
  std::shared_ptr<transport::Credentials> credentials(const Caller& caller) const;

  // Distinguishes connections of the same caller that must not be shared.
  std::string mark(const Principal& caller) const;

  // A link at which `caller` can sign in. REQUIRES: an error has asked for it.
  Task<SignInOffer> offer(Caller caller) const;
  // Yields when that is done; the error has the reason of a failure.
  Task<void> wait(std::string id, Deadline deadline) const;

 private:
  TokenService& service_;
  const std::shared_ptr<const Plan> plan_;
};

}  // namespace patchbay::oauth
