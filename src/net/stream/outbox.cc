#include "net/stream/outbox.h"

#include "core/release.h"
#include "observe/memory.h"

namespace patchbay::net {
namespace {

constexpr std::size_t kStride = 64 * 1024;

}  // namespace

Result<void> Outbox::put(std::initializer_list<std::string_view> parts) {
  std::size_t size = 0;
  for (const auto part : parts) size += part.size();
  auto room = check_room(size);
  if (room) add(parts);
  return room;
}

Result<void> Outbox::check_room(std::size_t size) const {
  if (broken_) return Error{Code::unavailable, "the peer has disconnected"};
  if (this->size() + size > kStride && memory::is_short(size)) return memory::shortage();
  if (empty() || this->size() + size <= most_) return ok();
  return Error{Code::overloaded, "the peer does not read fast enough: its queue is full"};
}

Result<void> Outbox::put_answer(std::initializer_list<std::string_view> parts) {
  if (broken_) return Error{Code::unavailable, "the peer has disconnected"};
  std::size_t size = 0;
  for (const auto part : parts) size += part.size();
  // A small answer still fits below the bound, so that the peer can be sent the reason for a
  // missing large one.
  const bool costs = size > kStride || this->size() + size > most_;
  if (costs && memory::is_short(size)) return memory::shortage();
  add(parts);
  return ok();
}

void Outbox::add(std::initializer_list<std::string_view> parts) {
  if (empty()) moved_ = here().now();
  std::size_t size = waiting_.size();
  for (const auto part : parts) size += part.size();
  waiting_.reserve(size);
  for (const auto part : parts) waiting_ += part;
  if (waiting_.size() - (ends_.empty() ? taken_ : ends_.back()) >= kStride) {
    ends_.push_back(waiting_.size());
  }
  here().at_turn_end(*this);
}

Result<void> Outbox::put_first(std::initializer_list<std::string_view> parts) {
  if (broken_) return Error{Code::unavailable, "the peer has disconnected"};
  std::size_t size = first_.size();
  for (const auto part : parts) size += part.size();
  if (size > kStride) {
    return Error{Code::overloaded, "the peer does not read fast enough: its queue is full"};
  }
  for (const auto part : parts) first_ += part;
  here().at_turn_end(*this);
  return ok();
}

// Selects what is written next. REQUIRES: the previous selection has been written.
void Outbox::load() {
  left_ = 0;
  leaving_.clear();
  // Only then: otherwise the memory that leaving_ retains would end in first_ and be freed.
  if (!first_.empty()) leaving_.swap(first_);
  const bool all = ends_.empty() || ends_.front() == waiting_.size();
  if (all && taken_ == 0 && leaving_.empty()) {
    leaving_.swap(waiting_);
  } else {
    const std::size_t end = all ? waiting_.size() : ends_.front();
    leaving_.append(waiting_, taken_, end - taken_);
    taken_ = end;
  }
  if (!ends_.empty()) ends_.erase(ends_.begin());
  if (taken_ == waiting_.size()) {
    taken_ = 0;
    release_beyond(waiting_, keep_);
  } else if (taken_ > waiting_.size() / 2) {
    waiting_.erase(0, taken_);
    for (auto& end : ends_) end -= taken_;
    taken_ = 0;
  }
}

void Outbox::flush() {
  while (!empty() && !broken_) {
    if (left_ == leaving_.size()) load();
    const iovec rest{leaving_.data() + left_, leaving_.size() - left_};
    auto written = stream_.try_write(std::span(&rest, 1));
    if (!written) {
      broken_ = true;
      break;
    }
    if (*written == 0) {
      stream_.wait_writable(*this);
      break;
    }
    left_ += *written;
    progressed();
  }
  if (empty() || broken_) {
    left_ = taken_ = 0;
    ends_.clear();
    release_beyond(leaving_, keep_);
    release_beyond(waiting_, keep_);
    release_beyond(first_, 0);
    progressed();
  }
  if (broken_ && notify_broken_) std::exchange(notify_broken_, nullptr)();
}

void Outbox::progressed() {
  moved_ = here().now();
  for (auto* const waiter : progress_) waiter->deliver(ok());
  if (notify_progress_) notify_progress_();
}

Task<void> Outbox::drained(std::chrono::nanoseconds timeout) {
  flush();
  return wait_at_most(0, timeout);
}

Task<void> Outbox::room(std::chrono::nanoseconds timeout) { return wait_at_most(most_, timeout); }

Task<void> Outbox::wait_at_most(std::size_t left, std::chrono::nanoseconds timeout) {
  while (size() > left && !broken_) {
    OneShot<void> progress;
    progress_.push_back(&progress);
    auto waited = co_await progress.wait(here().now() + timeout);
    std::erase(progress_, &progress);
    if (!waited) co_return waited.error();
  }
  if (broken_) co_return Error{Code::unavailable, "the peer has disconnected"};
  co_return ok();
}

}  // namespace patchbay::net
