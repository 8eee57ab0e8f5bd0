#include "frontends/exchange_sink.h"

namespace patchbay::frontends {

void ExchangeSink::on_event(std::string_view frame) {
  if (!exchange_) return;
  auto put = exchange_->put({frame});
  if (!put) on_end();  // Gone, or too slow: it can come back and resume.
}

void ExchangeSink::on_end() {
  ended_ = true;
  if (waiting_) waiting_->deliver(ok());
}

Task<void> ExchangeSink::wait_end(Deadline deadline) {
  if (ended_) co_return ok();
  OneShot<void> over;
  waiting_ = &over;
  auto waited = co_await over.wait(deadline);
  waiting_ = nullptr;
  co_return waited;
}

Task<void> ExchangeSink::stay_open(std::chrono::nanoseconds keep_alive) {
  while (!ended_) {
    auto ended = co_await wait_end(here().now() + keep_alive);
    if (ended || ended.error().code != Code::timeout) break;
    if (exchange_ && !still_stands(*exchange_->caller)) break;
    on_event(kSseComment);
  }
  co_return ok();
}

StreamGuard::StreamGuard(net::HttpExchange& exchange, ExchangeSink& sink)
    : exchange_(exchange), sink_(sink) {
  if (exchange.idle.requested()) {
    sink_.on_end();
  } else {
    link(exchange.idle);
  }
  exchange.stream.watch_hangup(this);
}

void StreamGuard::on_hangup() {
  left_ = true;
  sink_.on_end();
}

}  // namespace patchbay::frontends
