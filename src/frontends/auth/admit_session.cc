// How the RequestAuthenticator finds the caller of a session.
#include <charconv>

#include "frontends/auth/challenge.h"
#include "frontends/auth/request_authenticator.h"
#include "frontends/auth/session_request.h"
#include "frontends/error_body.h"
#include "json/read.h"
#include "observe/log.h"

namespace patchbay::frontends {
namespace {

// The fields of a request that has these credentials.
net::HttpFields fields_with(std::string_view credentials) {
  net::HttpFields fields;
  fields.add({"Authorization", credentials});
  return fields;
}

Error forged() {
  return {Code::forbidden,
          "a session needs its second secret with every request (X-Patchbay-CSRF), sent by its own "
          "page"};
}

// After too many failures: when to try again.
std::optional<std::chrono::milliseconds> wait_of(const Error& why) {
  if (why.code != Code::rate_limited) return std::nullopt;
  const auto wait = json::member(why.data, "retryAfterMs");
  std::int64_t ms = 0;
  if (wait) std::from_chars(wait->data(), wait->data() + wait->size(), ms);
  return std::chrono::milliseconds(ms);
}

}  // namespace

std::optional<BrowserSessions::Found> RequestAuthenticator::session(
    const net::HttpExchange& exchange) {
  if (!known_ || has_secret(exchange)) return std::nullopt;
  auto found = common_.sessions.find(presented_session(exchange));
  if (found.standing == BrowserSessions::Standing::none) return std::nullopt;
  return found;
}

bool RequestAuthenticator::has_secret(const net::HttpExchange& exchange) const {
  if (!known_) return false;
  const auto evidence =
      known_->evidence(exchange.request.fields, exchange.peer.hop, exchange.peer.certificate.get());
  return evidence.kind == policy::Evidence::Kind::token ||
         evidence.kind == policy::Evidence::Kind::basic;
}

Task<Caller> RequestAuthenticator::admit_session(net::HttpExchange& exchange, bool open,
                                                 Knowledge known, BrowserSessions::Found found) {
  if (found.caller) co_return found.caller;
  Error why = forged();
  if (found.standing == BrowserSessions::Standing::good) {
    auto verifying = verify_session(exchange, known, std::move(found.credentials));
    auto verified = co_await verifying;
    if (verified) co_return verified;
    why = verified.error();
  } else {
    common_.forged->add();
  }
  exchange.refused = why;
  if (open) co_return Caller();
  auto answering = answer_refused(exchange, std::move(why));
  auto answered = co_await answering;
  if (!answered) co_return answered.error();
  co_return Caller();
}

Task<Caller> RequestAuthenticator::verify_session(const net::HttpExchange& exchange,
                                                  Knowledge known, std::string credentials) {
  const auto presented = presented_session(exchange);
  const auto fields = fields_with(credentials);
  const auto evidence = known->evidence(fields, {}, nullptr);
  const policy::Digest digest = known->digest(evidence);
  policy::Recognised recognised;
  const auto* const remembered = known == known_ ? remembered_->find_recognised(digest) : nullptr;
  if (remembered) {
    recognised = *remembered;
  } else {
    auto verifying = verify(known, evidence, digest, nullptr);
    auto verified = co_await verifying;
    if (!verified) {
      const Error why = verified.error();
      // Keys that cannot be fetched, or too much to verify, will pass.
      const bool gone = why.code == Code::unauthenticated || why.code == Code::forbidden;
      if (gone) common_.sessions.end(presented.cookie);
      if (gone) log::Line(log::Level::info, "console session ended").add("why", why.message);
      co_return why;
    }
    recognised = *verified;
    recognised.caller = let_in(known, evidence, digest, *std::move(verified));
  }
  // A reload came meanwhile: what was found out is good for this request alone.
  if (known != known_) co_return recognised.caller;
  auto caller = common_.sessions.verified(presented, std::move(recognised));
  if (!caller) co_return Error{Code::unauthenticated, "the session has ended"};
  co_return caller;
}

Task<void> RequestAuthenticator::answer_nothing(net::HttpExchange& exchange) {
  if (exchange.caller) {
    const Error nothing{Code::not_found, "there is nothing at this path"};
    const std::string body = error_body_at(exchange.request.path, 404, nothing);
    co_return co_await exchange.answer(404, net::kJson, {body});
  }
  Error why{Code::unauthenticated, "authentication required"};
  if (!known_) why = {Code::unavailable, "the gateway is starting"};
  if (exchange.refused) why = *exchange.refused;
  co_return co_await answer_refused(exchange, std::move(why));
}

Task<void> RequestAuthenticator::answer_refused(net::HttpExchange& exchange, Error why) {
  const std::string_view path = exchange.request.path;
  Refusal made;
  if (const auto wait = wait_of(why)) {
    made = refusal_until(path, *wait);
  } else if (why.message == forged().message) {
    made = {403, error_body_at(path, 403, why), ""};
  } else {
    const policy::AuthSettings* const known = settings();
    made = refusal(known ? *known : policy::AuthSettings(), path, why, exchange.refused.has_value(),
                   is_script(exchange.request));
  }
  co_return co_await exchange.answer(made.status, net::kJson, {made.body}, made.fields);
}

}  // namespace patchbay::frontends
