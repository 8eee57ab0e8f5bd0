#include "policy/rates/exchange.h"

#include <utility>

#include "core/discard.h"
#include "observe/log.h"

namespace patchbay::policy {
namespace {

constexpr store::Table kRateTable{"rates"};
constexpr std::size_t kMostAtOnce = 10'000;  // The others follow with the next turn.
constexpr auto kStoreTimeout = std::chrono::seconds(1);

}  // namespace

RateExchange::RateExchange(store::Store& store, std::chrono::nanoseconds interval)
    : store_(store), interval_(interval.count()) {
  loop_.post([this] { tasks_.spawn(serve()); });
  thread_ = std::thread([this] { loop_.run(); });
}

void RateExchange::stop() {
  if (!thread_.joinable()) return;
  loop_.post([this] { last_.spawn(end()); });
  thread_.join();
}

void RateExchange::use(std::shared_ptr<Rates> rates) {
  if (rates) {
    rates->share([this] { loop_.post([this] { hurry_.deliver(ok()); }); });
  }
  loop_.post([this, rates = std::move(rates)] { rates_ = rates; });
}

Task<void> RateExchange::serve() {
  for (;;) {
    auto waited = co_await hurry_.wait(Clock::now() + std::chrono::nanoseconds(interval_));
    if (!waited && waited.error().code == Code::cancelled) co_return ok();
    hurry_.reset();
    if (!rates_) continue;
    for (auto& one : rates_->take_unreported(kMostAtOnce))
      tasks_.spawn(report(rates_, std::move(one)));
  }
}

Task<void> RateExchange::report(std::shared_ptr<Rates> rates, Rates::Unreported one) {
  auto ahead =
      co_await store_.advance(kRateTable, one.shared_key, one.by, Clock::now() + kStoreTimeout);
  note(ahead);
  rates->use_reported(one, ahead, Clock::now());
  co_return ok();
}

void RateExchange::note(const Result<std::chrono::microseconds>& ahead) {
  if (!ahead == std::exchange(alone_, !ahead)) return;
  if (ahead) {
    log::Line(log::Level::info, "rates shared again");
  } else {
    log::Line(log::Level::warn, "rates not shared").add("why", ahead.error().message);
  }
}

Task<void> RateExchange::end() {
  tasks_.cancel();
  auto ended = co_await tasks_.drain(kNever);
  discard(ended, "cancelled tasks end");
  rates_.reset();
  loop_.quit();
  co_return ok();
}

}  // namespace patchbay::policy
