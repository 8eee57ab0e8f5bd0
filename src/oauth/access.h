// An Access is how one upstream comes to the credentials that it is shown, for as long as there is
// that upstream.
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

// A link at which somebody can sign in.
struct SignInOffer {
  std::string id;
  std::string url;
};

class Access {
 public:
  // REQUIRES: `keeper` outlives it.
  Access(TokenService& service, std::shared_ptr<const Plan> plan)
      : service_(service), plan_(std::move(plan)) {}
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;
  ~Access();

  const Plan& plan() const { return *plan_; }

  // What the upstream is shown on behalf of `who`. The same for the same.
  std::shared_ptr<transport::Credentials> credentials(const Caller& who) const;

  // What tells apart callers who must not share a connection, although they are the same.
  std::string mark(const Principal& who) const;

  // A link at which `who` can sign in. REQUIRES: an error has said that somebody must.
  Task<SignInOffer> offer(Caller who) const;
  // Yields when that is done; the error says why it came to nothing.
  Task<void> wait(std::string id, Deadline deadline) const;

 private:
  TokenService& service_;
  const std::shared_ptr<const Plan> plan_;
};

}  // namespace patchbay::oauth
