#include "agent/writer.h"

#include <array>

namespace patchbay::agent {
namespace {

constexpr std::size_t kParts = 16;          // Lines that are sent in one call.
constexpr std::size_t kJoined = 16 * 1024;  // Short lines are joined to pieces of this size.

// The awaitable form of a Waiting.
class Room final : Writer::Waiting {
 public:
  explicit Room(Writer& writer) : writer_(writer) { writer_.wait_room(*this); }
  ~Room() { writer_.forget(*this); }

  OneShot<void>& came() { return came_; }

 private:
  void on_room() override { came_.deliver(ok()); }

  Writer& writer_;
  OneShot<void> came_;
};

}  // namespace

void Writer::put(std::string line) {
  if (broken_) return;
  waiting_ += line.size();
  const bool joins = lines_.size() > 1 || (lines_.size() == 1 && sent_ == 0);
  if (joins && lines_.back().size() + line.size() <= kJoined) {
    lines_.back() += line;
  } else {
    lines_.push_back(std::move(line));
  }
  here().at_turn_end(*this);
}

void Writer::flush() {
  while (!lines_.empty() && !broken_) {
    std::array<iovec, kParts> parts;
    std::size_t count = 0;
    for (auto line = lines_.begin(); line != lines_.end() && count < kParts; ++line, ++count) {
      parts[count] = {line->data(), line->size()};
    }
    parts[0] = {lines_.front().data() + sent_, lines_.front().size() - sent_};
    auto done = out_.try_write(std::span(parts).first(count));
    if (!done) {
      broken_ = true;
    } else if (*done == 0) {
      out_.wait_writable(*this);
      return;
    } else {
      written(*done);
    }
  }
  if (broken_) {
    lines_.clear();
    waiting_ = sent_ = 0;
  }
  if (flushed_) flushed_->deliver(ok());
  notify_room();
  if (broken_ && notify_broken_) std::exchange(notify_broken_, nullptr)();
}

void Writer::written(std::size_t count) {
  waiting_ -= count;
  count += sent_;
  while (!lines_.empty() && count >= lines_.front().size()) {
    count -= lines_.front().size();
    lines_.pop_front();
  }
  sent_ = count;
  notify_room();
}

void Writer::notify_room() {
  if (!has_room() && !broken_) return;
  while (!room_.empty() && (has_room() || broken_)) {
    Waiting* const next = room_.front();
    room_.erase(room_.begin());
    next->on_room();
  }
}

Task<void> Writer::room() {
  while (!has_room() && !broken_) {
    Room room(*this);
    auto came = co_await room.came().wait();
    if (!came) co_return came.error();
  }
  if (broken_) co_return Error{Code::unavailable, "the peer has disconnected"};
  co_return ok();
}

Task<void> Writer::flushed(Deadline deadline) {
  flush();
  if (lines_.empty()) co_return ok();
  OneShot<void> all;
  flushed_ = &all;
  auto done = co_await all.wait(deadline);
  flushed_ = nullptr;
  co_return done;
}

}  // namespace patchbay::agent
