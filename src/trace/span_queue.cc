#include "trace/span_queue.h"

#include <algorithm>
#include <utility>

namespace patchbay::trace {

void SpanQueue::set_bound(std::size_t most) {
  const std::lock_guard lock(mutex_);
  most_.store(most, std::memory_order_relaxed);
  wake_size_ = std::min((most + 1) / 2, kWakeSize);
  while (size_ > most) {
    const std::size_t more = std::min(size_ - most, batches_.back().size());
    batches_.back().resize(batches_.back().size() - more);
    if (batches_.back().empty()) batches_.pop_back();
    dropped_.fetch_add(more, std::memory_order_relaxed);
    size_ -= more;
  }
  if (most == 0) spare_ = {};
}

void SpanQueue::set_wake(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

CallRecord* SpanQueue::next_slot() {
  const std::size_t most = most_.load(std::memory_order_relaxed);
  if (most == 0) return nullptr;
  if (size_ >= most) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  if (batches_.empty() || batches_.back().size() >= kMaxBatch) {
    batches_.push_back(std::exchange(spare_, {}));
    batches_.back().reserve(std::min(most, kMaxBatch));
  }
  ++size_;
  return &batches_.back().emplace_back();
}

bool SpanQueue::take(Batch& batch) {
  batch.clear();
  const std::lock_guard lock(mutex_);
  if (batches_.empty()) return false;
  if (spare_.capacity() == 0) spare_ = std::exchange(batch, {});
  batch = std::move(batches_.front());
  batches_.pop_front();
  size_ -= batch.size();
  return true;
}

std::size_t SpanQueue::size() const {
  const std::lock_guard lock(mutex_);
  return size_;
}

}  // namespace patchbay::trace
