#include "mcp_client/listen_stream.h"

#include "json/read.h"

namespace patchbay::upstreams {
namespace {

constexpr auto kPause = std::chrono::seconds(1);  // Before a broken stream is started again.

}  // namespace

Task<void> ListenStream::subscribe(std::string params, Deadline deadline) {
  const auto subscription = std::make_shared<Subscription>();
  subscription->id = link_.mint_id();
  subscription->params = std::move(params);
  subscriptions_.push_back(subscription);
  scope_.spawn(run(subscription));
  auto agreed = co_await subscription->agreed.wait(deadline);
  if (!agreed) {
    subscription->stop.request();
    co_return agreed;
  }
  // The new stream is active, and the earlier ones are not needed any more. Requests that waited
  // for one to which the server had not agreed wait for the new one.
  for (const auto& earlier : std::vector(subscriptions_)) {
    if (earlier == subscription) break;
    earlier->agreed.deliver(ok());
    earlier->stop.request();
  }
  co_return ok();
}

Task<void> ListenStream::run(std::shared_ptr<Subscription> subscription) {
  for (;;) {
    auto listening = link_.listen(subscription->id, subscription->params);
    auto ended = co_await listening.with_stop(subscription->stop);
    if (ended && ended->is_error) {
      const auto why = json::string_member(ended->body, "message").value_or("no message");
      subscription->agreed.deliver(
          Error{Code::upstream_failed, "the server sends no notifications: " + why});
      break;
    }
    // The wait for the agreement ends with an error.
    subscription->agreed.deliver(
        Error{Code::upstream_failed, "the server ended its notifications at once"});
    auto sleep = sleep_until(here().now() + kPause);
    auto slept = co_await sleep.with_stop(subscription->stop);
    if (!slept) break;
    link_.on_missed();
    subscription->id = link_.mint_id();
  }
  std::erase(subscriptions_, subscription);
  co_return ok();
}

void ListenStream::on_agreed(std::uint64_t id) {
  for (const auto& subscription : subscriptions_) {
    if (subscription->id == id) subscription->agreed.deliver(ok());
  }
}

Task<void> ListenStream::stop() {
  for (const auto& subscription : std::vector(subscriptions_)) subscription->stop.request();
  co_return co_await scope_.drain(kNever);
}

}  // namespace patchbay::upstreams
