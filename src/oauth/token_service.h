// The TokenService has the tokens for all upstreams and callers, and runs interactive sign-ins.
//
// Confined to the control thread, except that everything but keep_in(), use() and stop() may be
// called on any thread.
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

// The state of the tokens of one upstream, for people.
struct TokenReport {
  std::string_view kind;     // As in the settings: client_credentials, authorization_code, …
  bool interactive = false;  // A person signs in.
  bool per_caller = false;
  bool used = false;  // A token has been requested.
  bool has_token = false;
  bool wants_sign_in = false;
  std::string failure = {};                             // Why there is no token.
  std::optional<std::chrono::seconds> expires_in = {};  // None: unknown.
  int holders = 0;  // Of the callers, and the gateway: how many have a token.
};

class TokenService {
 public:
  TokenService(Executor& control, metrics::Registry& registry);
  ~TokenService();

  // The tokens that callers authenticate with; stored only once an upstream needs them.
  CallerTokens& caller_tokens() { return caller_tokens_; }

  // Where tokens of sign-ins are stored. Called once, before anything else.
  void keep_in(StoreLocation location) { records_.emplace(std::move(location)); }

  // `listener` is our URL if the settings have none; empty: unreachable.
  void use(const SignInSettings& settings, const std::string& listener);

  // For a gateway that does not serve browsers otherwise: `open` starts an HTTP listener when the
  // first upstream with interactive sign-in is added, and yields its URL. Links for the gateway's
  // own connections are then logged, since no admin can ask for them.
  using OpenRedirectEndpoint = std::function<std::string()>;
  void serve_on_demand(OpenRedirectEndpoint open) { open_redirect_endpoint_ = std::move(open); }

  // Called for sign-ins and client registrations, on the control thread.
  void audit_to(std::function<void(policy::AuditRecord)> audit) {
    redirect_endpoint_.audit = std::move(audit);
  }

  // For an upstream with that plan.
  std::shared_ptr<Access> open(std::shared_ptr<const Plan> plan);

  // Starts no more requests, and waits for those in progress.
  Task<void> stop();

  // Whether all callers share the token of that upstream; none if it has no interactive sign-in.
  std::optional<bool> is_shared(const std::string& upstream);

  // The tokens of that upstream: those of `caller`, or of the gateway if all share one. None if the
  // upstream needs no tokens.
  Task<std::optional<TokenReport>> report(std::string upstream, Caller caller);

  // A link at which `caller` can sign in for that upstream, for itself or `for_gateway`, the
  // gateway's own connection. Code::not_found if the upstream has no sign-in. The caller of this
  // function checks who may request it.
  Task<SignInOffer> offer(std::string upstream, Caller caller, bool for_gateway = false);
  Task<void> wait(std::string id, Deadline deadline);
  Task<SignInState> state(std::string id);
  // Signs `caller`, or the gateway itself, out of that upstream.
  Task<void> forget(std::string upstream, Caller caller, bool for_gateway);

  // For the pages in browsers.
  Task<SignInPage> page(std::string id);
  Task<AuthorizationRedirect> authorization_redirect(std::string id);
  Task<std::string> handle_callback(CallbackRequest arrival);
  // Our client metadata document.
  Task<std::string> document(std::string upstream);

 private:
  friend class Access;
  using SourcePtr = std::shared_ptr<TokenSource>;
  using PlanPtr = std::shared_ptr<const Plan>;
  using Key = std::pair<const Plan*, std::string>;

  SourcePtr source(const PlanPtr& plan, const Caller& caller);
  void close(const Plan& plan);
  std::unique_ptr<Supplier> supplier_for(const PlanPtr& plan, const Caller& caller);
  PlanPtr find_any_plan(const std::string& upstream);
  PlanPtr find_plan(const std::string& upstream);
  std::optional<TokenReport> report_here(const std::string& upstream, const Caller& caller);
  Task<SignInOffer> offer_here(std::string upstream, Caller caller, bool for_gateway);
  Task<void> forget_here(std::string upstream, Caller caller, bool for_gateway);
  Task<void> announce(SourcePtr source);

  TokenSource::Context context_;
  CallerTokens caller_tokens_;
  RedirectEndpoint redirect_endpoint_;
  std::optional<Records> records_;
  SignIns sign_ins_{redirect_endpoint_};
  OpenRedirectEndpoint open_redirect_endpoint_;

  // Guarded by mutex_.
  std::mutex mutex_;
  std::map<Key, SourcePtr> sources_;
  std::map<std::string, std::weak_ptr<const Plan>> plans_;  // By upstream.
};

}  // namespace patchbay::oauth
