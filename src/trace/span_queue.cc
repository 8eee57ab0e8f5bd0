#include "trace/span_queue.h"

#include <algorithm>
#include <utility>

namespace patchbay::trace {

void SpanQueue::set_bound(std::size_t most) {
  const std::lock_guard lock(mutex_);
  most_.store(most, std::memory_order_relaxed);
  wake_size_ = std::min((most + 1) / 2, kWakeSize);
  while (size_ > most) {
    bytes_ -= batches_.back().back().bytes();
    batches_.back().pop_back();
    if (batches_.back().empty()) batches_.pop_back();
    dropped_.fetch_add(1, std::memory_order_relaxed);
    --size_;
  }
  if (most == 0) spare_ = {};
}

void SpanQueue::set_wake(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

void SpanQueue::put(ExportedCall call) {
  const std::lock_guard lock(mutex_);
  const std::size_t most = most_.load(std::memory_order_relaxed);
  if (most == 0) return;
  if (size_ >= most) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (batches_.empty() || batches_.back().size() >= kMaxBatch) {
    batches_.push_back(std::exchange(spare_, {}));
    batches_.back().reserve(std::min(most, kMaxBatch));
  }
  ++size_;
  bytes_ += call.bytes();
  batches_.back().push_back(std::move(call));
  if (wake_ && size_ == wake_size_) wake_();
}

bool SpanQueue::take(Batch& batch) {
  batch.clear();
  const std::lock_guard lock(mutex_);
  if (batches_.empty()) return false;
  if (spare_.capacity() == 0) spare_ = std::exchange(batch, {});
  batch = std::move(batches_.front());
  batches_.pop_front();
  size_ -= batch.size();
  for (const auto& call : batch) bytes_ -= call.bytes();
  return true;
}

std::size_t SpanQueue::size() const {
  const std::lock_guard lock(mutex_);
  return size_;
}

std::size_t SpanQueue::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace patchbay::trace
