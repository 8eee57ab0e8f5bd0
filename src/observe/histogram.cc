#include "observe/histogram.h"

#include <algorithm>
#include <limits>

namespace patchbay::metrics {

void Histogram::observe(double value, const SampledCall* sampled) {
  const std::size_t number = cell();
  auto& mine = cells_[number];
  const auto bound = std::ranges::lower_bound(buckets_.bounds, value);
  const auto bucket = static_cast<std::size_t>(bound - buckets_.bounds.begin());
  add_in_cell(mine.counts[bucket], std::uint64_t{1}, number);
  const double units = std::max(0.0, value) * buckets_.resolution;
  add_in_cell(mine.sum, static_cast<std::uint64_t>(units), number);
  if (sampled) store(bucket, value, *sampled);
}

// A thread that finds the exemplars in use does not wait: any call will do as the exemplar.
void Histogram::store(std::size_t bucket, double value, const SampledCall& call) {
  std::call_once(examples_made_, [this] {
    examples_owned_ = std::make_unique<Examples>();
    examples_.store(examples_owned_.get(), std::memory_order_release);
  });
  Examples& examples = *examples_.load(std::memory_order_acquire);
  const std::unique_lock lock(examples.mutex, std::try_to_lock);
  if (lock) examples.of_bucket[bucket] = {call, value, true};
}

void Histogram::add(const Histogram& other) {
  const std::size_t number = cell();
  auto& mine = cells_[number];
  for (const auto& one : other.cells_) {
    add_in_cell(mine.sum, one.sum.load(std::memory_order_relaxed), number);
    for (std::size_t i = 0; i <= buckets_.bounds.size(); ++i) {
      add_in_cell(mine.counts[i], one.counts[i].load(std::memory_order_relaxed), number);
    }
  }
}

void Histogram::read(Series& into) const {
  const std::size_t bounds = buckets_.bounds.size();
  std::uint64_t sum = 0;
  for (const auto& one : cells_) sum += one.sum.load(std::memory_order_relaxed);
  into.sum += static_cast<double>(sum) / buckets_.resolution;
  into.buckets.resize(bounds + 1);
  for (std::size_t i = 0; i <= bounds; ++i) {
    Bucket& bucket = into.buckets[i];
    bucket.bound = i < bounds ? buckets_.bounds[i] : std::numeric_limits<double>::infinity();
    for (const auto& one : cells_) {
      const auto count = one.counts[i].load(std::memory_order_relaxed);
      bucket.count += count;
      into.count += count;
    }
  }
  Examples* const examples = examples_.load(std::memory_order_acquire);
  if (!examples) return;
  const std::lock_guard lock(examples->mutex);
  for (std::size_t i = 0; i <= bounds; ++i) {
    const Example& one = examples->of_bucket[i];
    if (!one.set) continue;
    const trace::SpanId& span = one.call.span;
    into.buckets[i].exemplar = {.trace_id = trace::to_hex(one.call.trace),
                                .span_id = span == trace::SpanId() ? "" : trace::to_hex(span),
                                .value = one.value,
                                .unix_seconds = one.call.unix_seconds};
  }
}

}  // namespace patchbay::metrics
