#include "trace/call_history.h"

#include <algorithm>

namespace patchbay::trace {

void CallHistory::put(const CallRecord& record) {
  const std::lock_guard lock(mutex_);
  if (most_ == 0) return;
  const std::size_t at = next_++ % most_;
  if (at >= calls_.size()) {
    calls_.emplace_back(record);
  } else {
    bytes_ -= calls_[at].bytes();
    calls_[at].store(record);
  }
  bytes_ += calls_[at].bytes();
}

void CallHistory::resize(std::size_t most) {
  const std::lock_guard lock(mutex_);
  if (most == most_) return;
  first_ = std::max(oldest(), next_ - std::min<std::uint64_t>(next_, most));
  std::vector<StoredCall> moved(most == 0 ? 0 : std::min<std::uint64_t>(next_, most));
  for (std::uint64_t number = first_; number < next_; ++number) {
    moved[number % most] = std::move(calls_[number % most_]);
  }
  calls_ = std::move(moved);
  bytes_ = 0;
  for (const auto& call : calls_) bytes_ += call.bytes();
  most_ = most;
}

std::vector<CallHistory::Numbered> CallHistory::since(std::uint64_t from, std::size_t most) const {
  const std::lock_guard lock(mutex_);
  std::vector<Numbered> found;
  for (std::uint64_t number = std::max(from, oldest()); number < next_ && found.size() < most;
       ++number) {
    found.push_back({number, calls_[number % most_]});
  }
  return found;
}

std::uint64_t CallHistory::oldest() const {
  return std::max(first_, next_ - std::min<std::uint64_t>(next_, calls_.size()));
}

std::uint64_t CallHistory::next() const {
  const std::lock_guard lock(mutex_);
  return next_;
}

}  // namespace patchbay::trace
