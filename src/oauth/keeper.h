// The TokenService has the tokens that upstreams are shown, of all principals, and sees people
// through who sign in for one.
//
// Lives on the control thread; everything but keep_in(), use() and stop() may be called on any.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "oauth/access.h"
#include "oauth/caller_tokens.h"
#include "oauth/sign_ins.h"
#include "oauth/token_source.h"

namespace patchbay::oauth {

class TokenService {
 public:
  TokenService(Executor& control, metrics::Registry& registry);
  ~TokenService();

  // What callers show to be let in; kept only once an upstream wants it.
  CallerTokens& caller_tokens() { return caller_tokens_; }

  // Where tokens are kept that came of a sign-in. Called once, before anything else.
  void keep_in(StoreLocation place) { records_.emplace(std::move(place)); }

  // `listener` is where we can be reached if the settings do not say; empty: nowhere.
  void use(const SignInSettings& settings, const std::string& listener);

  // For a gateway that does not serve browsers otherwise: `open` begins to, when the first upstream
  // comes that wants people to sign in, and yields where. Links for the gateway's own connections
  // are then logged, since nobody can ask for them.
  using OpenRedirectEndpoint = std::function<std::string()>;
  void serve_on_demand(OpenRedirectEndpoint open) { open_redirect_endpoint_ = std::move(open); }

  // Hears of sign-ins, and of clients as which we register ourselves; on the control thread.
  void audit_to(std::function<void(policy::AuditRecord)> audit) {
    redirect_endpoint_.audit = std::move(audit);
  }

  // For an upstream with that plan.
  std::shared_ptr<Access> open(std::shared_ptr<const Plan> plan);

  // Asks nobody any more, and waits for what is under way.
  Task<void> stop();

  // Whether all callers share the token that somebody gives there by signing in; nothing if nobody
  // signs in there.
  std::optional<bool> is_shared(const std::string& upstream);

  // A link at which `asker` can sign in for that upstream, for itself or `for_gateway`, the
  // gateway's own connection. Code::not_found if nobody can. Who may ask for it the caller of this
  // has checked.
  Task<SignInOffer> offer(std::string upstream, Caller caller, bool for_gateway = false);
  Task<void> wait(std::string id, Deadline deadline);
  Task<SignInState> state(std::string id);
  // Forgets what `asker`, or the gateway itself, was given there.
  Task<void> forget(std::string upstream, Caller caller, bool for_gateway);

  // For the pages that browsers see.
  Task<SignInPage> page(std::string id);
  Task<AuthorizationRedirect> depart(std::string id);
  Task<std::string> come_back(Arrival arrival);
  // What authorization servers may read about us.
  Task<std::string> document(std::string upstream);

 private:
  friend class Access;
  using SourcePtr = std::shared_ptr<TokenSource>;
  using PlanPtr = std::shared_ptr<const Plan>;
  using Key = std::pair<const Plan*, std::string>;

  SourcePtr source(const PlanPtr& plan, const Caller& who);
  void close(const Plan& plan);
  std::unique_ptr<Supplier> supplier_for(const PlanPtr& plan, const Caller& who);
  PlanPtr find_plan(const std::string& upstream);
  Task<SignInOffer> offer_here(std::string upstream, Caller caller, bool for_gateway);
  Task<void> forget_here(std::string upstream, Caller caller, bool for_gateway);
  Task<void> announce(SourcePtr source);

  TokenSource::Home owner_;
  CallerTokens caller_tokens_;
  RedirectEndpoint redirect_endpoint_;
  std::optional<Records> records_;
  SignIns sign_ins_{redirect_endpoint_};
  OpenRedirectEndpoint open_redirect_endpoint_;

  // Guarded: any thread.
  std::mutex mutex_;
  std::map<Key, SourcePtr> sources_;
  std::map<std::string, std::weak_ptr<const Plan>> plans_;  // By upstream.
};

}  // namespace patchbay::oauth
