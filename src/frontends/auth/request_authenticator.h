// The RequestAuthenticator finds the caller of a request, with the policy::Authenticator.
// Credentials that were verified before cost one look-up; others are verified asynchronously, off
// the worker if that takes long. Every request passes through it. Frontends without HTTP pass the
// credentials that they received.
//
// One per worker; confined to it.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "async/thread_pool.h"
#include "frontends/auth/browser_sessions.h"
#include "gateway/call/record.h"
#include "net/http/server/exchange.h"
#include "net/http/server/guard.h"
#include "oauth/caller_tokens.h"
#include "observe/metrics.h"
#include "policy/auth/authenticator.h"
#include "policy/auth/failures.h"
#include "policy/auth/verified_credentials.h"

namespace patchbay::frontends {

// The state that the authenticators of all workers share.
struct SharedAuthState {
  SharedAuthState(metrics::Registry& registry, const policy::AuthSettings& settings);

  policy::AuthFailures failures;
  policy::VerifiedCredentials known;  // By any worker.
  BrowserSessions sessions{{}};
  ThreadPool verifying;
  std::shared_ptr<metrics::Counter> verified;  // Slowly, because not recognised.
  std::shared_ptr<metrics::Counter> missing;   // Without credentials.
  std::shared_ptr<metrics::Counter> invalid;
  std::shared_ptr<metrics::Counter> scope;
  std::shared_ptr<metrics::Counter> limited;  // Too many failures.
  std::shared_ptr<metrics::Counter> forged;   // A session without its second secret.
  std::shared_ptr<metrics::Counter> unavailable;
  oauth::CallerTokens* tokens = nullptr;  // Receives the JWTs of callers; null: nothing needs them.
};

// The credentials that the client of a frontend without HTTP has presented.
struct PresentedCredentials {
  const net::PeerAddress& from;
  const net::TlsPeer* certificate = nullptr;  // Null: none.
  std::string_view token = {};                // Empty: none. Takes precedence over the certificate.
  std::string_view basic =
      {};  // The same for a name and a password, in the form of the header for Basic.
  std::string_view where = "wire";
};

class RequestAuthenticator final : public net::HttpGuard {
 public:
  using Knowledge = std::shared_ptr<const policy::Authenticator>;

  // Refuses everyone until use() is called. REQUIRES: `common` outlives this.
  explicit RequestAuthenticator(SharedAuthState& common) : common_(common) {}

  // From now on this authenticator is used; null: no credentials are needed. Forgets all callers.
  void use(Knowledge knowledge);

  // Refuses every caller, but still serves open pages.
  void serve_open_only() { open_only_ = true; }

  // False: it has only begun, or is there for open pages alone.
  bool serves() const { return !closed_; }

  bool is_timed() const override { return known_ && recorder_ && recorder_->times_stages(); }
  Caller recognise(const net::HttpExchange& exchange) override;
  Task<Caller> admit(net::HttpExchange& exchange, bool open) override;
  bool opens(std::string_view path) const override;

  // Where failed authentications are recorded. REQUIRES: it outlives this.
  void record_in(gateway::Recorder& recorder) { recorder_ = &recorder; }

  // True if callers have credentials.
  bool knows_callers() const { return known_ != nullptr; }

  // True if requests need credentials.
  bool asks() const { return closed_ || known_; }

  // What credentials are checked against; null: none are needed, or it has only begun.
  const policy::AuthSettings* settings() const { return known_ ? &known_->settings() : nullptr; }

  // The sessions of browsers, of all workers.
  BrowserSessions& sessions() { return common_.sessions; }

  // The session by which a request is authenticated; none if there is no session, or other
  // credentials count.
  std::optional<BrowserSessions::Found> session(const net::HttpExchange& exchange);

  // Whether the request has a token or a password in its header that counts.
  bool has_secret(const net::HttpExchange& exchange) const;

  // Answers that there is nothing at this path, as for every unknown one.
  Task<void> answer_nothing(net::HttpExchange& exchange);

  // Answers 401, 403, 429 or 503 with the reason.
  Task<void> answer_refused(net::HttpExchange& exchange, Error why);

  // The caller with these credentials, if it is known already; otherwise null.
  Caller recognise(const PresentedCredentials& presented);

  // The same, asynchronously. Code::unauthenticated, or forbidden, rate_limited (after too many
  // failures) or unavailable. REQUIRES: the presented credentials stay valid until then.
  Task<Caller> identify(PresentedCredentials presented);

 private:
  // How long credentials from that address are not checked; zero: they are.
  std::chrono::nanoseconds lock_out(const policy::Authenticator& known,
                                    const policy::Evidence& evidence, const policy::Digest& digest,
                                    const net::PeerAddress& from);
  Task<policy::Recognised> verify(Knowledge known, policy::Evidence evidence,
                                  const policy::Digest& digest, const net::TlsPeer* certificate);
  Task<policy::Recognised> verify_jwt(Knowledge known, policy::Jwt jwt);
  // The request has the cookie of a session.
  Task<Caller> admit_session(net::HttpExchange& exchange, bool open, Knowledge known,
                             BrowserSessions::Found found);
  Task<Caller> verify_session(const net::HttpExchange& exchange, Knowledge known,
                              std::string credentials);
  void forget_if_needed();
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
  int seen_wants_ = 0;  // The version of the settings that `tokens` needs.
  Knowledge known_;
  std::optional<policy::CallerCache> remembered_;
};

}  // namespace patchbay::frontends
