#include "transport/frame_outbox.h"

namespace patchbay::transport {
namespace {

constexpr std::size_t kBlock = 64 * 1024;       // Small frames are gathered in blocks of this size.
constexpr std::size_t kMostUrgent = 64 * 1024;  // Of a peer that asks and does not read.

Error gone() { return {Code::unavailable, "the peer has gone"}; }
Error full() { return {Code::overloaded, "the peer does not read fast enough: its queue is full"}; }

}  // namespace

Result<void> FrameOutbox::put(std::string_view header, std::string_view payload) {
  if (broken_) return gone();
  const std::size_t more = header.size() + payload.size();
  if (!empty() && size() + more > most_) return full();
  if (waiting_.empty() || waiting_.back().size() + more > kBlock) waiting_.emplace_back();
  waiting_.back().append(header).append(payload);
  waiting_size_ += more;
  here().at_turn_end(*this);
  return ok();
}

Result<void> FrameOutbox::put_urgent(std::string_view frame) {
  if (broken_) return gone();
  if (urgent_.size() + frame.size() > kMostUrgent) return full();
  urgent_ += frame;
  here().at_turn_end(*this);
  return ok();
}

void FrameOutbox::take_next() {
  writing_.clear();
  written_ = 0;
  if (!urgent_.empty()) {
    writing_.swap(urgent_);
  } else if (!waiting_.empty()) {
    writing_ = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_size_ -= writing_.size();
  } else if (writing_.capacity() > 0) {
    writing_ = std::string();  // An idle connection holds no memory.
  }
}

void FrameOutbox::flush() {
  while (!broken_) {
    if (written_ == writing_.size()) take_next();
    if (writing_.empty()) break;
    const iovec rest{writing_.data() + written_, writing_.size() - written_};
    auto written = stream_.try_write(std::span(&rest, 1));
    if (!written) {
      broken_ = true;
      break;
    }
    if (*written == 0) {
      stream_.wait_writable(*this);
      break;
    }
    written_ += *written;
  }
  progressed();
  if (broken_ && tell_broken_) std::exchange(tell_broken_, nullptr)();
}

void FrameOutbox::progressed() {
  if (progress_) progress_->deliver(ok());
}

Task<void> FrameOutbox::drained(std::chrono::nanoseconds patience) {
  flush();
  while (!empty() && !broken_) {
    OneShot<void> progress;
    progress_ = &progress;
    auto waited = co_await progress.wait(here().now() + patience);
    progress_ = nullptr;
    if (!waited) co_return waited.error();
  }
  if (broken_) co_return gone();
  co_return ok();
}

}  // namespace patchbay::transport
