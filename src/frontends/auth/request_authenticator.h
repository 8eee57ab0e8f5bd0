// The RequestAuthenticator finds out who sends a request, by what the Authenticator knows. Whoever
// has been let in once is recognised by one look-up; everyone else is verified in their own time,
// off the worker where that takes long. Nobody gets further without. The same for front ends
// without HTTP, which show what they were presented.
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

// What the doors of all workers share.
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
  oauth::CallerTokens* tokens = nullptr;  // Who wants to see what callers show, if anybody.
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

  // Closed until use() says how to know callers. REQUIRES: `common` outlives the door.
  explicit RequestAuthenticator(SharedAuthState& common) : common_(common) {}

  // From now on by this; null: nobody is asked. Whom we have recognised so far is forgotten.
  void use(Knowledge knowledge);

  // Lets nobody in, but serves what is open to all.
  void serve_open_only() { open_only_ = true; }

  Caller recognise(const net::HttpExchange& exchange) override;
  Task<Caller> admit(net::HttpExchange& exchange, bool open) override;
  bool opens(std::string_view path) const override;

  // Where failed log-ins are written down. REQUIRES: it outlives the door.
  void record_in(gateway::Recorder& recorder) { recorder_ = &recorder; }

  // True if callers have credentials.
  bool knows_callers() const { return known_ != nullptr; }

  // True if whoever comes must say who they are.
  bool asks() const { return closed_ || known_; }

  // Who has presented that, if it can be said at once; otherwise null.
  Caller recognise(const PresentedCredentials& presented);

  // The same in its own time. Code::unauthenticated, or forbidden, rate_limited (after too many
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
  // What a verified caller is from now on.
  Caller let_in(const Knowledge& known, const policy::Evidence& evidence,
                const policy::Digest& digest, policy::Recognised found);
  void count_refusal(const policy::Evidence& evidence, const policy::Digest& digest,
                     const net::PeerAddress& from, std::string_view where, const Error& why);
  void count_failure(const policy::Digest& digest, const net::PeerAddress& from);
  void note_failure(const policy::Evidence& evidence, const net::PeerAddress& from,
                    std::string_view where, const Error& why);

  SharedAuthState& common_;
  gateway::Recorder* recorder_ = nullptr;  // Null: they are written nowhere.
  const Caller local_ = local_caller();
  bool closed_ = true;
  bool open_only_ = false;
  int seen_wants_ = 0;  // Of those who want to see what callers show.
  Knowledge known_;
  std::optional<policy::CallerCache> remembered_;
};

}  // namespace patchbay::frontends
