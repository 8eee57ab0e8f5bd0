#include "frontends/exchange_sink.h"

namespace patchbay::frontends {

void ExchangeSink::on_event(std::string_view frame, gateway::EventKind kind) {
  if (!exchange_) return;
  const bool asked = kind == gateway::EventKind::answer;
  auto put = asked ? exchange_->put_answer({frame}) : exchange_->put({frame});
  if (put) return;
  // The client has disconnected or is too slow. It can reconnect and resume, and must notice that
  // something is missing.
  exchange_->cut_off();
  on_end();
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
    const auto pause = exchange_ ? std::min(keep_alive, exchange_->write_timeout()) : keep_alive;
    auto ended = co_await wait_end(here().now() + pause);
    if (ended || ended.error().code != Code::timeout) break;
    if (!exchange_) continue;
    if (!still_stands(*exchange_->caller)) break;
    if (exchange_->stalled()) {
      exchange_->cut_off();
      break;
    }
    // A reader with unread data needs no comment.
    if (!exchange_->congested()) on_event(kSseComment, gateway::EventKind::notification);
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
  exchange.watch_hangup(this);
}

void StreamGuard::on_hangup() {
  left_ = true;
  sink_.on_end();
}

}  // namespace patchbay::frontends
