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
                          "Tokens that were asked for to show them to an upstream.",
                          metrics::labels({{"upstream", upstream}, {"outcome", outcome}}));
}

// To each who waits, once.
template <class T>
void notify(std::vector<OneShot<T>*>& list, const Result<T>& word) {
  for (OneShot<T>* const one : std::exchange(list, {})) one->deliver(word);
}

}  // namespace

TokenSource::TokenSource(Home& owner, std::shared_ptr<const Plan> plan,
                         std::unique_ptr<Supplier> supplier)
    : owner_(owner),
      plan_(std::move(plan)),
      fetched_(counter(owner.registry, plan_->upstream, "ok")),
      failed_(counter(owner.registry, plan_->upstream, "failed")),
      supplier_(std::move(supplier)) {}

AuthHeadersPtr TokenSource::at_hand() const {
  const std::lock_guard lock(mutex_);
  return shown_ && Clock::now() < due_ ? shown_ : nullptr;
}

Task<AuthHeadersPtr> TokenSource::get(Deadline deadline) {
  auto there = [self = shared_from_this(), deadline] { return self->get_here(deadline); };
  co_return co_await hop<AuthHeadersPtr>(owner_.executor, there);
}

Task<AuthHeadersPtr> TokenSource::better_than(AuthHeadersPtr shown, Refused refused,
                                              Deadline deadline) {
  auto there = [self = shared_from_this(), shown = std::move(shown), refused = std::move(refused),
                deadline] { return self->better_here(shown, refused, deadline); };
  co_return co_await hop<AuthHeadersPtr>(owner_.executor, there);
}

Task<void> TokenSource::wait_for_change(int seen, Deadline deadline) {
  auto there = [self = shared_from_this(), seen, deadline] {
    return self->wait_here(seen, deadline);
  };
  co_return co_await hop<void>(owner_.executor, there);
}

bool TokenSource::has_good() const { return shown_ && Clock::now() < expires_; }

// A failure counts for a while; one that only a person can mend, until somebody does.
bool TokenSource::must_wait() const {
  return failure_ && (wants_sign_in(*failure_) || Clock::now() < next_try_);
}

Task<AuthHeadersPtr> TokenSource::get_here(Deadline deadline) {
  if (has_good()) {
    const Deadline now = Clock::now();
    if (!fetching_ && now >= due_ && now >= next_try_) begin();
    co_return shown_;
  }
  // Before anything is known, the first request goes without a token: the refusal says where to get
  // one, and for what.
  if (!fetching_ && !wish_.challenge && !supplier_->knows_where()) co_return AuthHeadersPtr();
  co_return co_await wait_for_token(deadline);
}

Task<AuthHeadersPtr> TokenSource::better_here(AuthHeadersPtr shown, const Refused& refused,
                                              Deadline deadline) {
  if (shown != shown_ && has_good()) co_return shown_;  // Meanwhile there is another.
  auto challenge = bearer_challenge(refused.challenges);
  if (refused.status == 403) {
    const bool more = challenge && challenge->error == "insufficient_scope" && challenge->scopes;
    // What was asked for and not granted is not granted the next time either.
    if (!more || has_scopes(supplier_->asked(), *challenge->scopes)) co_return AuthHeadersPtr();
    wish_.more = unite(std::move(wish_.more), *challenge->scopes);
    wish_.insufficient = true;
  } else {
    // One that has just come is as good as the next.
    if (shown && Clock::now() - got_ < plan_->settings.retry) co_return AuthHeadersPtr();
    if (challenge || !wish_.challenge) wish_.challenge = challenge.value_or(Challenge());
    wish_.refused = true;
    const std::lock_guard lock(mutex_);
    shown_.reset();
  }
  co_return co_await wait_for_token(deadline);
}

// All who wait share one attempt.
Task<AuthHeadersPtr> TokenSource::wait_for_token(Deadline deadline) {
  if (!fetching_ && must_wait()) co_return *failure_;
  OneShot<AuthHeadersPtr> update;
  waiting_.push_back(&update);
  if (!fetching_) begin();  // May be over at once.
  auto token = co_await update.wait(deadline);
  std::erase(waiting_, &update);
  if (!token && token.error().code == Code::timeout) {
    co_return no_token(plan_->upstream, {Code::timeout, "whoever gives it takes too long"});
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
  owner_.tasks.spawn(fetch(shared_from_this()));
}

Task<void> TokenSource::fetch(std::shared_ptr<TokenSource> self) {
  const int before = self->supplied_;
  Wish wish = self->wish_;
  self->wish_.refused = self->wish_.insufficient = false;
  auto answer = co_await self->supplier_->obtain(std::move(wish));
  self->fetching_ = false;
  // What came by itself meanwhile is newer.
  const bool newer = self->supplied_ != before && self->has_good();
  notify(self->waiting_, newer ? Result<AuthHeadersPtr>(self->shown_) : self->take(answer));
  co_return ok();
}

Result<AuthHeadersPtr> TokenSource::take(const Result<TokenAnswer>& answer) {
  next_try_ = Clock::now() + plan_->settings.retry;
  if (answer) {
    failure_.reset();
    if (answer->access.empty()) return AuthHeadersPtr();
    fetched_->add();
    note(*answer);
    return shown_;
  }
  const Error why = no_token(plan_->upstream, answer.error());
  if (why.code == Code::cancelled) return why;
  // One that is good for less than a call needs is good for others.
  if (!has_good()) failure_ = why;
  const bool person = wants_sign_in(why);
  if (!person) failed_->add();
  log::Line(person ? log::Level::info : log::Level::warn, "no token")
      .add("upstream", plan_->upstream)
      .add("why", answer.error().message);
  if (person && !has_good() && owner_.wanted) owner_.wanted(shared_from_this());
  return why;
}

void TokenSource::supply(const TokenAnswer& answer) {
  ++supplied_;
  failure_.reset();
  fetched_->add();
  note(answer);
}

void TokenSource::forget() {
  ++supplied_;
  failure_.reset();
  const std::lock_guard lock(mutex_);
  shown_.reset();
}

void TokenSource::note(const TokenAnswer& answer) {
  const Settings& settings = plan_->settings;
  const Deadline now = Clock::now();
  got_ = now;
  auto shown = std::make_shared<const AuthHeaders>(
      fmt::format("Authorization: Bearer {}\r\n", answer.access));
  Deadline due = kNever;
  Deadline expires = kNever;
  if (answer.expires) {
    const std::chrono::nanoseconds life = *answer.expires;
    expires = now + life;
    due = expires - std::min<std::chrono::nanoseconds>(settings.renew_before, life / 2);
  } else if (settings.kind == Kind::bearer && !settings.token_file.empty()) {
    due = now + settings.retry;
  }
  changes_.fetch_add(1, std::memory_order_relaxed);
  notify(hoping_, ok());
  const std::lock_guard lock(mutex_);
  const bool same = shown_ && shown_->fields == shown->fields;
  if (!same) shown_ = std::move(shown);
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
