#include "app/jwks_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "async/hop.h"
#include "net/http/client/pool.h"
#include "net/io/address.h"
#include "observe/log.h"

namespace patchbay::app {

using policy::KeySet;
using Keys = std::shared_ptr<const KeySet>;

Result<net::Url> jwks_url(const std::string& text) {
  auto url = net::parse_url(text);
  if (!url) return url.error();
  if (url->tls) return url;
  const auto addresses = net::numeric_addresses(url->host, url->port);
  const bool here = !addresses.empty() &&
                    std::ranges::all_of(addresses, [](const auto& one) { return one.loopback(); });
  if (here) return url;
  return Error{Code::invalid_params, "keys from http:// could be forged; use https://"};
}

Result<std::shared_ptr<JwksSource>> JwksSource::make(Owner& owner,
                                                     const policy::JwtSettings& settings) {
  auto url = jwks_url(settings.jwks);
  if (!url) return url.error();
  std::shared_ptr<const net::TlsContext> tls;
  if (url->tls) {
    net::TlsClientSettings trust;
    trust.ca = settings.ca;
    auto context = net::TlsContext::client(trust);
    if (!context) return context.error();
    tls = *std::move(context);
  }
  return std::shared_ptr<JwksSource>(
      new JwksSource(owner, settings, *std::move(url), std::move(tls)));
}

JwksSource::JwksSource(Owner& owner, const policy::JwtSettings& settings, net::Url url,
                       std::shared_ptr<const net::TlsContext> tls)
    : owner_(owner),
      settings_(settings),
      url_(std::move(url)),
      tls_(std::move(tls)),
      schedule_(settings) {}

Keys JwksSource::keys() const {
  const std::lock_guard lock(mutex_);
  return schedule_.usable(Clock::now()) ? set_ : nullptr;
}

void JwksSource::keep_fresh() {
  {
    const std::lock_guard lock(mutex_);
    if (!schedule_.due(Clock::now())) return;
  }
  owner_.executor.post([self = shared_from_this()] {
    if (self->fetching_) return;
    {
      // Another caller may have fetched them meanwhile.
      const std::lock_guard lock(self->mutex_);
      if (!self->schedule_.due(Clock::now())) return;
    }
    self->begin();
  });
}

Task<Keys> JwksSource::look_again() {
  auto there = [self = shared_from_this()] { return self->wait_for_update(); };
  co_return co_await hop<Keys>(owner_.executor, there);
}

// All waiting callers share one fetch.
Task<Keys> JwksSource::wait_for_update() {
  if (!fetching_) {
    const Deadline now = Clock::now();
    bool may = false;
    {
      const std::lock_guard lock(mutex_);
      may = schedule_.usable(now) ? schedule_.may_look_again(now) : schedule_.due(now);
    }
    if (may) begin();
  }
  if (fetching_) {
    OneShot<void> update;
    waiting_.push_back(&update);
    auto waited = co_await update.wait();
    std::erase(waiting_, &update);
    if (!waited) co_return waited.error();
  }
  co_return keys();
}

void JwksSource::begin() {
  fetching_ = true;
  owner_.fetches.spawn(fetch(shared_from_this()));
}

Task<void> JwksSource::fetch(std::shared_ptr<JwksSource> self) {
  auto answer = co_await self->get();
  self->take(answer);
  self->fetching_ = false;
  for (OneShot<void>* const one : std::exchange(self->waiting_, {})) one->deliver(ok());
  co_return ok();
}

Task<std::string> JwksSource::get() {
  net::HttpPoolSettings one;
  one.connections = 1;
  net::HttpPool pool(url_, tls_, one);
  const Deadline deadline = Clock::now() + settings_.fetch_time;
  const net::HttpCall call{"GET", url_.path, "Accept: application/json\r\n", ""};
  auto response = co_await pool.request(call, deadline);
  if (!response) co_return response.error();
  if ((*response)->status() != 200) {
    co_return Error{Code::upstream_failed,
                    fmt::format("the answer is HTTP {}", (*response)->status())};
  }
  co_return co_await (*response)->read_all(settings_.answer.value, deadline);
}

void JwksSource::take(const Result<std::string>& answer) {
  auto set = answer ? KeySet::parse(*answer, static_cast<std::size_t>(settings_.keys))
                    : Result<KeySet>(answer.error());
  const Deadline now = Clock::now();
  const std::lock_guard lock(mutex_);
  if (!set) {
    schedule_.failed(now);
    owner_.failed->add();
    log::Line(log::Level::warn, "keys not fetched")
        .add("issuer", settings_.issuer)
        .add("why", set.error().message);
    return;
  }
  schedule_.succeeded(now);
  owner_.fetched->add();
  if (set_ && *answer == last_) return;
  last_ = *answer;
  set->version = changes_.load() + 1;
  log::Line(log::Level::info, "keys fetched")
      .add("issuer", settings_.issuer)
      .add("keys", static_cast<std::uint64_t>(set->size()));
  set_ = std::make_shared<const KeySet>(*std::move(set));
  changes_.fetch_add(1);
}

}  // namespace patchbay::app
