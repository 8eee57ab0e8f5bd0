// A CallHistory stores the last finished calls of one worker, in memory of a fixed size. It is the
// flight recorder behind `patchbay trace`, /control/v1/calls and SIGUSR1.
//
// put() on the worker; the rest on any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <vector>

#include "trace/stored_call.h"

namespace patchbay::trace {

class CallHistory {
 public:
  // `most` calls are stored; 0: none.
  explicit CallHistory(std::size_t most) : most_(most) {}

  // Stores a copy in place of the oldest call.
  void put(const CallRecord& record);

  // Changes the number of stored calls. The oldest calls beyond it are lost.
  void resize(std::size_t most);

  // A record and its number: the count of earlier calls on this worker. Cursors consist of such
  // numbers.
  struct Numbered {
    std::uint64_t number = 0;
    StoredCall call;
  };

  // The calls from number `from` on, the oldest first, at most `most`.
  std::vector<Numbered> since(std::uint64_t from, std::size_t most) const;

  // Calls `visit(number, record)` for the calls from number `from` on, the oldest first, at most
  // `most`, and returns the number after the last of them. The worker may wait meanwhile, so `most`
  // must be small.
  template <class Visit>
  std::uint64_t visit(std::uint64_t from, std::size_t most, Visit visit) const {
    const std::lock_guard lock(mutex_);
    std::uint64_t number = std::max(from, oldest());
    const std::uint64_t end = std::min<std::uint64_t>(next_, number + most);
    for (; number < end; ++number) visit(number, calls_[number % most_].record());
    return number;
  }

  // The number of the oldest stored record.
  std::uint64_t first() const {
    const std::lock_guard lock(mutex_);
    return oldest();
  }

  // The memory of the stored calls.
  std::size_t bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

  // The number that the next call gets.
  std::uint64_t next() const;

 private:
  // The number of the oldest stored record. REQUIRES: mutex_ is held.
  std::uint64_t oldest() const;

  mutable std::mutex mutex_;
  std::size_t most_;
  std::vector<StoredCall> calls_;  // A ring: number n is at n % most_.
  std::size_t bytes_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t first_ = 0;  // Earlier ones were lost when the bound changed.
};

}  // namespace patchbay::trace
