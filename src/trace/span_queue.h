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
#include <vector>

#include "trace/exported_call.h"

namespace patchbay::trace {

class SpanQueue {
 public:
  using Batch = std::vector<ExportedCall>;

  // The maximum number of calls in a batch.
  static constexpr std::size_t kMaxBatch = 512;

  static constexpr std::size_t kWakeSize = kMaxBatch / 2;

  // At most `most` calls are queued; 0: nothing is queued or counted.
  void set_bound(std::size_t most);
  // `wake` is called when half a batch is queued, or the queue is half full; it must not block.
  // Calls that are taken soon are still in the caches of the processor. Null: nothing is called.
  void set_wake(std::function<void()> wake);

  bool enabled() const { return most_.load(std::memory_order_relaxed) > 0; }

  void put(ExportedCall call);

  // Returns the oldest batch, in exchange for the memory of `batch`. False: nothing is queued, and
  // `batch` is empty.
  bool take(Batch& batch);

  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  std::size_t size() const;
  std::size_t bytes() const;

 private:
  mutable std::mutex mutex_;
  std::deque<Batch> batches_;  // The last one is being filled.
  Batch spare_;                // Empty; the memory of a batch that was exported.
  std::size_t size_ = 0;       // Of all batches.
  std::size_t bytes_ = 0;      // The same.
  std::size_t wake_size_ = 0;  // With so many, the exporter is woken.
  std::function<void()> wake_;
  std::atomic<std::size_t> most_ = 0;
  std::atomic<std::uint64_t> dropped_ = 0;
};

}  // namespace patchbay::trace
