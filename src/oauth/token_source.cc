#include "oauth/token_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "async/hop.h"
#include "oauth/no_token.h"
#include "observe/log.h"

namespace patchbay::oauth {
namespace {

using transport::AuthHeaders;
using transport::AuthHeadersPtr;
using transport::Refused;

std::shared_ptr<metrics::Counter> counter(metrics::Registry& registry, std::string_view upstream,
                                          std::string_view outcome) {
  return registry.counter("patchbay_upstream_tokens_total",
                          "Tokens that were requested for an upstream.",
                          metrics::labels({{"upstream", upstream}, {"outcome", outcome}}));
}

// Delivers to every waiting call once.
template <class T>
void notify(std::vector<OneShot<T>*>& list, const Result<T>& value) {
  for (OneShot<T>* const one : std::exchange(list, {})) one->deliver(value);
}

}  // namespace

TokenSource::TokenSource(Context& context, std::shared_ptr<const Plan> plan,
                         std::unique_ptr<Supplier> supplier)
    : context_(context),
      plan_(std::move(plan)),
      fetched_(counter(context.registry, plan_->upstream, "ok")),
      failed_(counter(context.registry, plan_->upstream, "failed")),
      fetch_time_(context.registry.histogram("patchbay_upstream_token_seconds",
                                             "How long requests for a token took.",
                                             metrics::labels({{"upstream", plan_->upstream}}))),
      not_wanted_(plan_->on_demand),
      supplier_(std::move(supplier)) {}

AuthHeadersPtr TokenSource::at_hand() const {
  const std::lock_guard lock(mutex_);
  return headers_ && Clock::now() < due_ ? headers_ : nullptr;
}

Task<AuthHeadersPtr> TokenSource::get(Deadline deadline) {
  if (not_wanted_.load(std::memory_order_relaxed)) co_return AuthHeadersPtr();
  auto there = [self = shared_from_this(), deadline] { return self->get_here(deadline); };
  co_return co_await hop<AuthHeadersPtr>(context_.executor, there);
}

Task<AuthHeadersPtr> TokenSource::better_than(AuthHeadersPtr headers, Refused refused,
                                              Deadline deadline) {
  auto there = [self = shared_from_this(), headers = std::move(headers),
                refused = std::move(refused),
                deadline] { return self->better_here(headers, refused, deadline); };
  co_return co_await hop<AuthHeadersPtr>(context_.executor, there);
}

Task<void> TokenSource::wait_for_change(int seen, Deadline deadline) {
  auto there = [self = shared_from_this(), seen, deadline] {
    return self->wait_here(seen, deadline);
  };
  co_return co_await hop<void>(context_.executor, there);
}

TokenSource::Status TokenSource::status() const {
  Status status{has_good(), std::nullopt, failure_};
  if (status.has_token && expires_ != kNever) {
    status.expires_in = std::chrono::ceil<std::chrono::seconds>(expires_ - Clock::now());
  }
  return status;
}

bool TokenSource::has_good() const { return headers_ && Clock::now() < expires_; }

// A failure is cached for a while; one that a person must resolve, until then.
bool TokenSource::must_wait() const {
  return failure_ && (wants_sign_in(*failure_) || Clock::now() < next_try_);
}

Task<AuthHeadersPtr> TokenSource::get_here(Deadline deadline) {
  if (has_good()) {
    const Deadline now = Clock::now();
    if (!fetching_ && now >= due_ && now >= next_try_) begin();
    co_return headers_;
  }
  // At the beginning the first request goes without a token: the challenge names the issuer and the
  // scopes.
  if (!fetching_ && !requirements_.challenge && !supplier_->knows_issuer())
    co_return AuthHeadersPtr();
  co_return co_await wait_for_token(deadline);
}

Task<AuthHeadersPtr> TokenSource::better_here(AuthHeadersPtr headers, const Refused& refused,
                                              Deadline deadline) {
  if (headers != headers_ && has_good()) co_return headers_;  // There is a newer token.
  auto challenge = bearer_challenge(refused.challenges);
  if (refused.status == 403) {
    const bool more = challenge && challenge->error == "insufficient_scope" && challenge->scopes;
    // Scopes that were requested and not granted will not be granted the next time either.
    if (!more || has_scopes(supplier_->asked(), *challenge->scopes)) co_return AuthHeadersPtr();
    requirements_.more = unite(std::move(requirements_.more), *challenge->scopes);
    requirements_.insufficient = true;
  } else {
    const bool published = challenge && !challenge->resource_metadata.empty();
    if (not_wanted_.load(std::memory_order_relaxed) && !published) co_return AuthHeadersPtr();
    not_wanted_.store(false, std::memory_order_relaxed);
    // A token that has just been issued would be refused again.
    if (headers && Clock::now() - got_ < plan_->settings.retry) co_return AuthHeadersPtr();
    if (challenge || !requirements_.challenge)
      requirements_.challenge = challenge.value_or(Challenge());
    requirements_.refused = true;
    const std::lock_guard lock(mutex_);
    headers_.reset();
  }
  co_return co_await wait_for_token(deadline);
}

// All waiting calls share one attempt.
Task<AuthHeadersPtr> TokenSource::wait_for_token(Deadline deadline) {
  if (!fetching_ && must_wait()) co_return *failure_;
  OneShot<AuthHeadersPtr> update;
  waiting_.push_back(&update);
  if (!fetching_) begin();  // May finish at once.
  auto token = co_await update.wait(deadline);
  std::erase(waiting_, &update);
  if (!token && token.error().code == Code::timeout) {
    co_return no_token(plan_->upstream, {Code::timeout, "the authorization server takes too long"});
  }
  co_return token;
}

Task<void> TokenSource::wait_here(int seen, Deadline deadline) {
  if (changes() != seen) co_return ok();
  OneShot<void> update;
  hoping_.push_back(&update);
  auto waited = co_await update.wait(deadline);
  std::erase(hoping_, &update);
  if (!waited && waited.error().code == Code::timeout) co_return ok();
  co_return waited;
}

void TokenSource::begin() {
  fetching_ = true;
  context_.tasks.spawn(fetch(shared_from_this()));
}

Task<void> TokenSource::fetch(std::shared_ptr<TokenSource> self) {
  const int before = self->supplied_;
  TokenRequirements requirements = self->requirements_;
  self->requirements_.refused = self->requirements_.insufficient = false;
  const Deadline began = Clock::now();
  auto answer = co_await self->supplier_->obtain(std::move(requirements));
  self->fetch_time_->observe(std::chrono::duration<double>(Clock::now() - began).count());
  self->fetching_ = false;
  // A token that was supplied meanwhile is newer.
  const bool newer = self->supplied_ != before && self->has_good();
  notify(self->waiting_, newer ? Result<AuthHeadersPtr>(self->headers_) : self->take(answer));
  co_return ok();
}

Result<AuthHeadersPtr> TokenSource::take(const Result<TokenAnswer>& answer) {
  next_try_ = Clock::now() + plan_->settings.retry;
  if (answer) {
    failure_.reset();
    if (answer->access.empty()) return AuthHeadersPtr();
    fetched_->add();
    note(*answer);
    return headers_;
  }
  const Error why = no_token(plan_->upstream, answer.error());
  if (why.code == Code::cancelled) return why;
  // A token with too few scopes for one call is still valid for others.
  if (!has_good()) failure_ = why;
  const bool person = wants_sign_in(why);
  if (!person) failed_->add();
  log::Line(person ? log::Level::info : log::Level::warn, "no token")
      .add("upstream", plan_->upstream)
      .add("why", answer.error().message);
  if (person && !has_good() && context_.wanted) context_.wanted(shared_from_this());
  return why;
}

void TokenSource::supply(const TokenAnswer& answer) {
  ++supplied_;
  not_wanted_.store(false, std::memory_order_relaxed);
  failure_.reset();
  fetched_->add();
  note(answer);
}

void TokenSource::forget() {
  ++supplied_;
  failure_.reset();
  const std::lock_guard lock(mutex_);
  headers_.reset();
}

void TokenSource::note(const TokenAnswer& answer) {
  const Settings& settings = plan_->settings;
  const Deadline now = Clock::now();
  got_ = now;
  auto headers = std::make_shared<const AuthHeaders>(
      fmt::format("Authorization: Bearer {}\r\n", answer.access));
  Deadline due = kNever;
  Deadline expires = kNever;
  if (answer.expires) {
    const std::chrono::nanoseconds lifetime = *answer.expires;
    expires = now + lifetime;
    due = expires - std::min<std::chrono::nanoseconds>(settings.renew_before, lifetime / 2);
  } else if (settings.kind == Kind::bearer && !settings.token_file.empty()) {
    due = now + settings.retry;
  }
  changes_.fetch_add(1, std::memory_order_relaxed);
  notify(hoping_, ok());
  const std::lock_guard lock(mutex_);
  const bool same = headers_ && headers_->fields == headers->fields;
  if (!same) headers_ = std::move(headers);
  due_ = due;
  expires_ = expires;
  if (same) return;
  log::Line(log::Level::info, "token")
      .add("upstream", plan_->upstream)
      .add("issuer", supplier_->issuer())
      .add("scopes", join_scopes(answer.scopes.value_or(supplier_->asked())))
      .add("expires_s", answer.expires ? std::int64_t{answer.expires->count()} : -1);
}

}  // namespace patchbay::oauth
