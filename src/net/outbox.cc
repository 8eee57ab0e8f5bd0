#include "net/outbox.h"

namespace patchbay::net {
namespace {

constexpr std::size_t kKeep = 64 * 1024;  // Memory kept for the next messages once all has left.

}  // namespace

Result<void> Outbox::put(std::initializer_list<std::string_view> parts) {
  if (broken_) return Error{Code::unavailable, "the peer has gone"};
  std::size_t size = 0;
  for (const auto part : parts) size += part.size();
  if (!empty() && this->size() + size > most_) {
    return Error{Code::overloaded, "the peer does not read fast enough: its queue is full"};
  }
  for (const auto part : parts) waiting_ += part;
  here().at_turn_end(*this);
  return ok();
}

void Outbox::flush() {
  while (!empty() && !broken_) {
    const iovec rest{waiting_.data() + sent_, size()};
    auto written = stream_.try_write(std::span(&rest, 1));
    if (!written) {
      broken_ = true;
      break;
    }
    if (*written == 0) {
      stream_.wait_writable(*this);
      break;
    }
    sent_ += *written;
    progressed();
  }
  if (empty() || broken_) {
    sent_ = 0;
    waiting_.clear();
    if (waiting_.capacity() > kKeep) waiting_ = std::string();
    progressed();
  } else if (sent_ > most_) {
    waiting_.erase(0, std::exchange(sent_, 0));
  }
  if (broken_ && tell_broken_) std::exchange(tell_broken_, nullptr)();
}

void Outbox::progressed() {
  if (progress_) progress_->deliver(ok());
}

Task<void> Outbox::drained(std::chrono::nanoseconds patience) {
  flush();
  while (!empty() && !broken_) {
    OneShot<void> progress;
    progress_ = &progress;
    auto waited = co_await progress.wait(here().now() + patience);
    progress_ = nullptr;
    if (!waited) co_return waited.error();
  }
  if (broken_) co_return Error{Code::unavailable, "the peer has gone"};
  co_return ok();
}

}  // namespace patchbay::net
