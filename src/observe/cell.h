// Counters, gauges and histograms are spread over cells, so that threads do not write to the same
// cache line. The cells are summed on reading.
//
// Usable from any thread.
#pragma once

#include <atomic>
#include <cstddef>

namespace patchbay::metrics {

// The first threads that count anything have a cell each; all others share the rest.
inline constexpr std::size_t kOwnedCells = 8;
inline constexpr std::size_t kCells = 2 * kOwnedCells;

// The cell of this thread.
inline std::size_t cell() {
  static std::atomic<std::size_t> next{0};
  thread_local const std::size_t mine = [] {
    const std::size_t number = next.fetch_add(1, std::memory_order_relaxed);
    return number < kOwnedCells ? number : kOwnedCells + number % kOwnedCells;
  }();
  return mine;
}

// Adds to a value in the cell of this thread. Where nobody else writes, no atomic addition is
// needed, which would cost several times as much.
template <class T>
void add_in_cell(std::atomic<T>& value, T change, std::size_t cell) {
  if (cell < kOwnedCells) {
    value.store(value.load(std::memory_order_relaxed) + change, std::memory_order_relaxed);
  } else {
    value.fetch_add(change, std::memory_order_relaxed);
  }
}

}  // namespace patchbay::metrics
