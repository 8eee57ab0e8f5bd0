#include "frontends/auth/request_authenticator.h"

#include <algorithm>

#include "frontends/auth/challenge.h"
#include "frontends/auth/session_request.h"
#include "observe/log.h"

namespace patchbay::frontends {
namespace {

using policy::Evidence;
using policy::Recognised;

std::shared_ptr<metrics::Counter> refusals(metrics::Registry& registry, std::string_view reason) {
  return registry.counter("patchbay_auth_refused_total", "Requests that were not authenticated.",
                          metrics::labels({{"reason", reason}}));
}

Evidence evidence_of(const policy::Authenticator& known, const net::HttpExchange& exchange) {
  return known.evidence(exchange.request.fields, exchange.peer.hop,
                        exchange.peer.certificate.get());
}

Evidence evidence_of(const policy::Authenticator& known, const PresentedCredentials& presented) {
  if (!presented.token.empty()) return {Evidence::Kind::token, presented.token};
  if (!presented.basic.empty()) return {Evidence::Kind::basic, presented.basic};
  return known.evidence({}, presented.from, presented.certificate);
}

// The lockout exists to stop guessing. A client certificate, a proxy or an issuer's signature
// cannot be guessed.
bool can_be_guessed(const policy::Authenticator& known, const Evidence& evidence) {
  switch (evidence.kind) {
    case Evidence::Kind::none:
    case Evidence::Kind::proxy:
    case Evidence::Kind::certificate:
      return false;
    case Evidence::Kind::token: {
      if (!known.has_issuers() || !policy::looks_like_jwt(evidence.value)) return true;
      const auto jwt = policy::parse_jwt(evidence.value);
      return !jwt || !known.issuer_of(*jwt);
    }
    case Evidence::Kind::malformed:
    case Evidence::Kind::basic:
      break;
  }
  return true;
}

Error too_many_failures(std::chrono::nanoseconds wait) {
  Error error{Code::rate_limited, "too many failed attempts from this address"};
  set_retry_after(error, std::chrono::ceil<std::chrono::milliseconds>(wait));
  return error;
}

Task<Caller> answer(net::HttpExchange& exchange, const Refusal& refusal) {
  auto sent = co_await exchange.answer(refusal.status, net::kJson, {refusal.body}, refusal.fields);
  if (!sent) co_return sent.error();
  co_return Caller();
}

// A session counts for a request without credentials in its header, and before the certificate of
// its connection: the person has chosen who to be.
bool yields_to_session(const Evidence& evidence) {
  return evidence.kind == Evidence::Kind::none || evidence.kind == Evidence::Kind::certificate;
}

Error no_keys(const std::string& issuer) {
  return {Code::unavailable, "the keys of " + issuer + " are not available at the moment"};
}

}  // namespace

SharedAuthState::SharedAuthState(metrics::Registry& registry, const policy::AuthSettings& settings)
    : failures(settings.failures),
      known(static_cast<std::size_t>(settings.remembered)),
      verifying(settings.verifying, settings.waiting),
      verified(registry.counter("patchbay_auth_verified_total",
                                "Credentials verified, because they were not known yet.")),
      missing(refusals(registry, "missing")),
      invalid(refusals(registry, "invalid")),
      scope(refusals(registry, "scope")),
      limited(refusals(registry, "limited")),
      forged(refusals(registry, "forged")),
      unavailable(refusals(registry, "unavailable")) {}

void RequestAuthenticator::use(Knowledge knowledge) {
  closed_ = false;
  known_ = std::move(knowledge);
  remembered_.reset();
  if (known_) remembered_.emplace(static_cast<std::size_t>(known_->settings().remembered));
  common_.sessions.forget_verified();
}

bool RequestAuthenticator::opens(std::string_view path) const {
  if (!known_) return false;
  const auto open = [this](policy::PublicPath page) {
    const auto& pages = known_->settings().open;
    return std::ranges::find(pages, page) != pages.end();
  };
  if (path == "/metrics") return open(policy::PublicPath::metrics);
  return path.starts_with("/swagger-ui") && open(policy::PublicPath::swagger_ui);
}

Caller RequestAuthenticator::recognise(const net::HttpExchange& exchange) {
  if (!known_) return closed_ ? nullptr : local_;
  const Evidence evidence = evidence_of(*known_, exchange);
  forget_if_needed();
  if (yields_to_session(evidence)) {
    const auto found = common_.sessions.find(presented_session(exchange));
    if (found.standing != BrowserSessions::Standing::none) return found.caller;
  }
  if (evidence.kind == Evidence::Kind::none || evidence.kind == Evidence::Kind::malformed) {
    return nullptr;
  }
  return remembered_->find(known_->digest(evidence));
}

// What has been seen before somebody wanted to see it must be seen again.
void RequestAuthenticator::forget_if_needed() {
  if (!common_.tokens || common_.tokens->wants() == seen_wants_) return;
  seen_wants_ = common_.tokens->wants();
  remembered_.emplace(static_cast<std::size_t>(known_->settings().remembered));
  common_.sessions.forget_verified();
}

Task<Caller> RequestAuthenticator::admit(net::HttpExchange& exchange, bool open) {
  // A reload may come while we wait; the request ends with the authenticator that it began with.
  const Knowledge known = known_;
  if (!known && open && open_only_) co_return Caller();
  if (!known) {
    const Error starting{Code::unavailable, "the gateway is starting"};
    const Refusal later = refusal({}, exchange.request.path, starting, false);
    co_return co_await answer(exchange, later);
  }
  const Evidence evidence = evidence_of(*known, exchange);
  if (yields_to_session(evidence)) {
    auto session = common_.sessions.find(presented_session(exchange));
    if (session.standing != BrowserSessions::Standing::none) {
      auto admitted = admit_session(exchange, open, known, std::move(session));
      co_return co_await admitted;
    }
  }
  if (open && evidence.kind == Evidence::Kind::none) co_return Caller();
  const policy::Digest digest = known->digest(evidence);
  const auto wait = lock_out(*known, evidence, digest, exchange.peer.address);
  if (wait.count() > 0) {
    common_.limited->add();
    exchange.refused = too_many_failures(wait);
    if (open) co_return Caller();
    const Refusal later = refusal_until(exchange.request.path, wait);
    co_return co_await answer(exchange, later);
  }
  auto found = co_await verify(known, evidence, digest, exchange.peer.certificate.get());
  if (!found && open) {
    if (found.error().code == Code::unauthenticated) {
      count_failure(*known, evidence, digest, exchange.peer.address);
      note_failure(evidence, exchange.peer.address, exchange.request.path, found.error());
    }
    exchange.refused = found.error();
    co_return Caller();
  }
  if (!found) co_return co_await refuse(exchange, known, evidence, digest, found.error());
  co_return let_in(known, evidence, digest, *std::move(found));
}

std::chrono::nanoseconds RequestAuthenticator::lock_out(const policy::Authenticator& known,
                                                        const Evidence& evidence,
                                                        const policy::Digest& digest,
                                                        const net::PeerAddress& from) {
  if (!can_be_guessed(known, evidence) || common_.known.contains(digest)) {
    return std::chrono::nanoseconds(0);
  }
  const std::string name = known.credential_name(evidence);
  return common_.failures.wait({from, name, digest}, here().now());
}

Caller RequestAuthenticator::let_in(const Knowledge& known, const Evidence& evidence,
                                    const policy::Digest& digest, Recognised found) {
  common_.verified->add();
  common_.known.add(digest);
  // A copy of our own, so that its reference count is changed on this worker only.
  auto own = std::make_shared<Principal>(*found.caller);
  own->until = found.until;
  own->known_by = known;
  const Caller caller = own;
  found.caller = caller;
  if (common_.tokens && caller->auth_method == AuthMethod::jwt)
    common_.tokens->note(*caller, evidence.value, found.until);
  if (known == known_) remembered_->add(digest, std::move(found));
  return caller;
}

Caller RequestAuthenticator::recognise(const PresentedCredentials& presented) {
  if (!known_) return closed_ ? nullptr : local_;
  const Evidence evidence = evidence_of(*known_, presented);
  if (evidence.kind == Evidence::Kind::none) return nullptr;
  return remembered_->find(known_->digest(evidence));
}

Task<Caller> RequestAuthenticator::identify(PresentedCredentials presented) {
  if (auto known_already = recognise(presented)) co_return known_already;
  const Knowledge known = known_;
  if (!known) co_return Error{Code::unavailable, "the gateway is starting"};
  const Evidence evidence = evidence_of(*known, presented);
  const policy::Digest digest = known->digest(evidence);
  const auto wait = lock_out(*known, evidence, digest, presented.from);
  if (wait.count() > 0) {
    common_.limited->add();
    co_return too_many_failures(wait);
  }
  auto found = co_await verify(known, evidence, digest, presented.certificate);
  if (found) co_return let_in(known, evidence, digest, *std::move(found));
  count_refusal(*known, evidence, digest, presented.from, presented.where, found.error());
  co_return found.error();
}

Task<Recognised> RequestAuthenticator::verify(Knowledge known, Evidence evidence,
                                              const policy::Digest& digest,
                                              const net::TlsPeer* certificate) {
  auto at_once = known->at_once(evidence, digest, certificate);
  if (!at_once || at_once->caller) co_return at_once;
  std::string value(evidence.value);
  std::function<Result<Recognised>()> work;
  if (evidence.kind == Evidence::Kind::basic) {
    work = [known, value] { return known->check_password(value); };
  } else if (known->has_issuers() && policy::looks_like_jwt(value)) {
    auto jwt = policy::parse_jwt(value);
    if (!jwt) co_return jwt.error();
    co_return co_await verify_jwt(std::move(known), *std::move(jwt));
  } else if (known->may_have_hash(value)) {
    work = [known, value] { return known->check_token(value); };
  } else {
    co_return Error{Code::unauthenticated, "the token is unknown or was revoked"};
  }
  co_return co_await common_.verifying.run<Recognised>(std::move(work));
}

Task<Recognised> RequestAuthenticator::verify_jwt(Knowledge known, policy::Jwt jwt) {
  const auto* const issuer = known->issuer_of(jwt);
  if (!issuer) co_return Error{Code::unauthenticated, "the token is from another issuer"};
  issuer->keys->keep_fresh();
  auto keys = issuer->keys->keys();
  auto checked = keys ? known->check_jwt(jwt, *issuer, *keys) : std::nullopt;
  if (!checked) {
    auto newer = co_await issuer->keys->look_again();
    if (!newer) co_return newer.error();
    if (!*newer) co_return no_keys(issuer->settings.issuer);
    checked = known->check_jwt(jwt, *issuer, **newer);
  }
  if (checked) co_return *std::move(checked);
  co_return Error{Code::unauthenticated, "the issuer has no such key (kid)"};
}

Task<Caller> RequestAuthenticator::refuse(net::HttpExchange& exchange, const Knowledge& known,
                                          const Evidence& evidence, const policy::Digest& digest,
                                          const Error& why) {
  const bool given = evidence.kind != Evidence::Kind::none;
  count_refusal(*known, evidence, digest, exchange.peer.address, exchange.request.path, why);
  const Refusal made =
      refusal(known->settings(), exchange.request.path, why, given, is_script(exchange.request));
  co_return co_await answer(exchange, made);
}

void RequestAuthenticator::count_failure(const policy::Authenticator& known,
                                         const Evidence& evidence, const policy::Digest& digest,
                                         const net::PeerAddress& from) {
  common_.known.remove(digest);
  const std::string name = known.credential_name(evidence);
  common_.failures.add({from, name, digest}, here().now());
}

void RequestAuthenticator::count_refusal(const policy::Authenticator& known,
                                         const Evidence& evidence, const policy::Digest& digest,
                                         const net::PeerAddress& from, std::string_view where,
                                         const Error& why) {
  if (evidence.kind == Evidence::Kind::none) return common_.missing->add();
  if (why.code == Code::unauthenticated) {
    common_.invalid->add();
    count_failure(known, evidence, digest, from);
  } else {
    (why.code == Code::forbidden ? common_.scope : common_.unavailable)->add();
  }
  note_failure(evidence, from, where, why);
  log::Line(log::Level::warn, "caller refused")
      .add("from", from.ip_text())
      .add("auth_method", name_of(evidence.kind))
      .add("path", where)
      .add("why", why.message);
}

void RequestAuthenticator::note_failure(const Evidence& evidence, const net::PeerAddress& from,
                                        std::string_view where, const Error& why) {
  if (!recorder_) return;
  auto record = policy::event_record(policy::kLogInEvent, {.id = "", .name = ""});
  record.auth_method = name_of(evidence.kind);
  record.from = from.ip_text();
  record.method = "refuse";
  record.target = where;
  record.decision = "deny";
  record.outcome = info(why.code).name;
  recorder_->failed_log_in(std::move(record));
}

}  // namespace patchbay::frontends
