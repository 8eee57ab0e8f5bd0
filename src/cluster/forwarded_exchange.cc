#include "cluster/forwarded_exchange.h"

#include <algorithm>

#include "observe/log.h"
#include "observe/memory.h"

namespace patchbay::cluster {

void ForwardedExchange::send(std::string_view payload) {
  if (broken_ || link_.send(payload)) return;
  // Without the link there is no client.
  broken_ = true;
  on_left();
}

Task<void> ForwardedExchange::answer(int status, std::string_view type,
                                     std::initializer_list<std::string_view> parts,
                                     std::string_view fields) {
  answered_ = true;
  moved_ = here().now();
  if (left_) {
    send(begin_payload(LinkFrame::end, stream_));
    co_return Error{Code::unavailable, "the client has disconnected"};
  }
  const std::string lines = fields_ + std::string(fields);
  if (request.method != "HEAD") add(parts);
  const std::size_t first = std::min(queue_.size(), kPiece);
  std::string payload = begin_payload(LinkFrame::head, stream_);
  append(payload, HeadFrame{.status = static_cast<std::uint16_t>(status),
                            .body_size = queue_.size(),
                            .type = type,
                            .fields = lines,
                            .body = std::string_view(queue_).substr(0, first)});
  taken_ = first;
  send(payload);
  if (first == queue_.size()) co_return ok();
  sent_ = first;
  pump();
  // The node that forwards stores the rest, so this does not wait for a slow client.
  auto drained = co_await at_most(0);
  if (!drained) send(begin_payload(LinkFrame::cut_off, stream_));
  co_return drained;
}

Task<net::HttpExchange::Upgraded> ForwardedExchange::switch_protocols(std::string_view) {
  co_return Error{Code::internal, "a WebSocket cannot be forwarded to another node"};
}

void ForwardedExchange::begin_stream(std::string_view fields) {
  answered_ = true;
  streaming_ = true;
  moved_ = here().now();
  const std::string lines = fields_ + std::string(fields);
  std::string payload = begin_payload(LinkFrame::head, stream_);
  append(payload, HeadFrame{.streams = true, .fields = lines});
  send(payload);
}

void ForwardedExchange::add(std::initializer_list<std::string_view> parts) {
  if (size() == 0) moved_ = here().now();
  for (const auto part : parts) queue_ += part;
}

void ForwardedExchange::pump() {
  while (!left_ && taken_ < queue_.size() && sent_ < kWindow) {
    const auto piece = std::string_view(queue_).substr(taken_, kPiece);
    std::string payload = begin_payload(LinkFrame::data, stream_);
    payload += piece;
    taken_ += piece.size();
    sent_ += piece.size();
    send(payload);
  }
  if (taken_ == queue_.size()) {
    queue_.clear();
    taken_ = 0;
  } else if (taken_ > kWindow) {
    queue_.erase(0, taken_);
    taken_ = 0;
  }
}

Result<void> ForwardedExchange::put(std::initializer_list<std::string_view> parts) {
  if (left_) return Error{Code::unavailable, "the client has disconnected"};
  std::size_t more = 0;
  for (const auto part : parts) more += part.size();
  if (size() > 0 && size() + more > bounds_.stream_buffer) {
    log_dropped();
    return Error{Code::overloaded, "the client reads too slowly"};
  }
  add(parts);
  pump();
  return ok();
}

Result<void> ForwardedExchange::put_answer(std::initializer_list<std::string_view> parts) {
  if (left_) return Error{Code::unavailable, "the client has disconnected"};
  std::size_t more = 0;
  for (const auto part : parts) more += part.size();
  if (memory::is_short(more)) return memory::shortage();
  add(parts);
  pump();
  return ok();
}

void ForwardedExchange::log_dropped() {
  if (std::exchange(logged_dropped_, true)) return;
  log::Line(log::Level::warn, "notifications dropped: the client reads too slowly")
      .add("client", peer.ip)
      .add("limit", "limits.max_stream_buffer_size")
      .add("bytes", std::uint64_t{bounds_.stream_buffer});
}

bool ForwardedExchange::stalled() {
  return streaming_ && size() > 0 && here().now() - moved_ >= bounds_.write_time;
}

Task<void> ForwardedExchange::at_most(std::size_t bytes) {
  while (size() > bytes) {
    if (left_) co_return Error{Code::unavailable, "the client has disconnected"};
    OneShot<void> progress;
    waiting_.push_back(&progress);
    auto waited = co_await progress.wait(moved_ + bounds_.write_time);
    std::erase(waiting_, &progress);
    if (!waited) co_return waited;
  }
  co_return ok();
}

Task<void> ForwardedExchange::end_stream() {
  auto drained = co_await at_most(0);
  const bool whole = drained && !cut_off_;
  send(begin_payload(whole ? LinkFrame::end : LinkFrame::cut_off, stream_));
  streaming_ = false;
  co_return drained;
}

void ForwardedExchange::watch_hangup(net::Source::Hangup* hangup) {
  hangup_ = hangup;
  if (left_ && hangup_) hangup_->on_hangup();
}

void ForwardedExchange::pass_back(std::uint64_t node) {
  answered_ = true;
  std::string payload = begin_payload(LinkFrame::refused, stream_);
  append(payload, node);
  send(payload);
}

void ForwardedExchange::on_credit(std::size_t bytes) {
  sent_ -= std::min(bytes, sent_);
  moved_ = here().now();
  pump();
  for (auto* const waiting : waiting_) waiting->deliver(ok());
}

void ForwardedExchange::on_left() {
  if (std::exchange(left_, true)) return;
  queue_.clear();
  taken_ = 0;
  sent_ = 0;
  for (auto* const waiting : waiting_) waiting->deliver(ok());
  if (hangup_) hangup_->on_hangup();
}

}  // namespace patchbay::cluster
