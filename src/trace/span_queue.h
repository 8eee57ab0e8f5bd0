// The SpanQueue holds finished calls of sampled traces until the exporter takes them. It is
// bounded: when the exporter cannot keep up, further calls are dropped and counted, and nothing
// waits.
//
// Calls are stored in batches, whose memory is exchanged between the queue and the exporter.
//
// Usable from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "trace/call_record.h"

namespace patchbay::trace {

class SpanQueue {
 public:
  using Batch = std::vector<CallRecord>;

  // The maximum number of calls in a batch.
  static constexpr std::size_t kMaxBatch = 512;

  static constexpr std::size_t kWakeSize = kMaxBatch / 2;

  // At most `most` calls are queued; 0: nothing is queued or counted.
  void set_bound(std::size_t most);
  // `wake` is called when half a batch is queued, or the queue is half full; it must not block.
  // Calls that are taken soon are still in the caches of the processor. Null: nothing is called.
  void set_wake(std::function<void()> wake);

  bool enabled() const { return most_.load(std::memory_order_relaxed) > 0; }

  void put(CallRecord record) {
    fill([&record](CallRecord& slot) { slot = std::move(record); });
  }

  // The same for a record that `make` writes into an empty one, so that nothing is copied. Others
  // wait meanwhile: it only copies what is there.
  template <class Make>
  void fill(Make make) {
    const std::lock_guard lock(mutex_);
    CallRecord* const slot = next_slot();
    if (!slot) return;
    make(*slot);
    if (wake_ && size_ == wake_size_) wake_();
  }

  // Returns the oldest batch, in exchange for the memory of `batch`. False: nothing is queued, and
  // `batch` is empty.
  bool take(Batch& batch);

  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  std::size_t size() const;

 private:
  // An empty record at the end of the queue; null if it is full, which is counted, or off.
  // REQUIRES: mutex_ is held.
  CallRecord* next_slot();

  mutable std::mutex mutex_;
  std::deque<Batch> batches_;  // The last one is being filled.
  Batch spare_;                // Empty; the memory of a batch that was exported.
  std::size_t size_ = 0;       // Of all batches.
  std::size_t wake_size_ = 0;  // With so many, the exporter is woken.
  std::function<void()> wake_;
  std::atomic<std::size_t> most_ = 0;
  std::atomic<std::uint64_t> dropped_ = 0;
};

}  // namespace patchbay::trace
