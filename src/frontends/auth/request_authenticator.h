// The RequestAuthenticator finds the caller of a request, with the policy::Authenticator.
// Credentials that were verified before cost one look-up; others are verified asynchronously, off
// the worker if that takes long. No request passes without. Front ends without HTTP pass the
// credentials that they received.
//
// One per worker; confined to it.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "async/thread_pool.h"
#include "gateway/call/record.h"
#include "net/http/server/exchange.h"
#include "net/http/server/guard.h"
#include "oauth/caller_tokens.h"
#include "observe/metrics.h"
#include "policy/auth/authenticator.h"
#include "policy/auth/failures.h"
#include "policy/auth/verified_credentials.h"

namespace patchbay::frontends {

// What the authenticators of all workers share.
struct SharedAuthState {
  SharedAuthState(metrics::Registry& registry, const policy::AuthSettings& settings);

  policy::AuthFailures failures;
  policy::VerifiedCredentials known;  // By any worker.
  ThreadPool verifying;
  std::shared_ptr<metrics::Counter> verified;  // Slowly; not recognised.
  std::shared_ptr<metrics::Counter> missing;   // Without credentials.
  std::shared_ptr<metrics::Counter> invalid;
  std::shared_ptr<metrics::Counter> scope;
  std::shared_ptr<metrics::Counter> limited;  // Too many failures.
  std::shared_ptr<metrics::Counter> unavailable;
  oauth::CallerTokens* tokens = nullptr;  // Receives JWTs of callers; null: nothing needs them.
};

// What the client of a front end without HTTP has presented.
struct PresentedCredentials {
  const net::PeerAddress& from;
  const net::TlsPeer* certificate = nullptr;  // Null: none.
  std::string_view token = {};                // Empty: none. Counts before the certificate.
  std::string_view basic = {};  // The same: a name and a password, as Basic has them in a header.
  std::string_view where = "wire";
};

class RequestAuthenticator final : public net::HttpGuard {
 public:
  using Knowledge = std::shared_ptr<const policy::Authenticator>;

  // Refuses everyone until use() is called. REQUIRES: `common` outlives this.
  explicit RequestAuthenticator(SharedAuthState& common) : common_(common) {}

  // From now on with this; null: no credentials are needed. Callers known so far are forgotten.
  void use(Knowledge knowledge);

  // Refuses every caller, but serves pages that are open.
  void serve_open_only() { open_only_ = true; }

  Caller recognise(const net::HttpExchange& exchange) override;
  Task<Caller> admit(net::HttpExchange& exchange, bool open) override;
  bool opens(std::string_view path) const override;

  // Where failed authentications are recorded. REQUIRES: it outlives this.
  void record_in(gateway::Recorder& recorder) { recorder_ = &recorder; }

  // True if callers have credentials.
  bool knows_callers() const { return known_ != nullptr; }

  // True if requests need credentials.
  bool asks() const { return closed_ || known_; }

  // The caller with these credentials, if it is known already; otherwise null.
  Caller recognise(const PresentedCredentials& presented);

  // The same, asynchronously. Code::unauthenticated, or forbidden, rate_limited (after too many
  // failures) or unavailable. REQUIRES: what was presented stays there until then.
  Task<Caller> identify(PresentedCredentials presented);

 private:
  // How long credentials from there are not looked at; zero: they are.
  std::chrono::nanoseconds lock_out(const policy::Authenticator& known,
                                    const policy::Evidence& evidence, const policy::Digest& digest,
                                    const net::PeerAddress& from);
  Task<policy::Recognised> verify(Knowledge known, policy::Evidence evidence,
                                  const policy::Digest& digest, const net::TlsPeer* certificate);
  Task<policy::Recognised> verify_jwt(Knowledge known, policy::Jwt jwt);
  Task<Caller> refuse(net::HttpExchange& exchange, const Knowledge& known,
                      const policy::Evidence& evidence, const policy::Digest& digest,
                      const Error& why);
  // Remembers a verified caller.
  Caller let_in(const Knowledge& known, const policy::Evidence& evidence,
                const policy::Digest& digest, policy::Recognised found);
  void count_refusal(const policy::Authenticator& known, const policy::Evidence& evidence,
                     const policy::Digest& digest, const net::PeerAddress& from,
                     std::string_view where, const Error& why);
  void count_failure(const policy::Authenticator& known, const policy::Evidence& evidence,
                     const policy::Digest& digest, const net::PeerAddress& from);
  void note_failure(const policy::Evidence& evidence, const net::PeerAddress& from,
                    std::string_view where, const Error& why);

  SharedAuthState& common_;
  gateway::Recorder* recorder_ = nullptr;  // Null: they are not recorded.
  const Caller local_ = local_caller();
  bool closed_ = true;
  bool open_only_ = false;
  int seen_wants_ = 0;  // The version of what `tokens` needs.
  Knowledge known_;
  std::optional<policy::CallerCache> remembered_;
};

}  // namespace patchbay::frontends
