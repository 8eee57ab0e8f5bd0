#include "trace/call_history.h"

#include <algorithm>

namespace patchbay::trace {

CallRecord& CallHistory::next_slot() {
  const std::size_t at = next_++ % most_;
  if (at >= records_.size()) return records_.emplace_back();
  records_[at] = CallRecord();
  return records_[at];
}

void CallHistory::resize(std::size_t most) {
  const std::lock_guard lock(mutex_);
  if (most == most_) return;
  first_ = std::max(oldest(), next_ - std::min<std::uint64_t>(next_, most));
  std::vector<CallRecord> moved(most == 0 ? 0 : std::min<std::uint64_t>(next_, most));
  for (std::uint64_t number = first_; number < next_; ++number) {
    moved[number % most] = std::move(records_[number % most_]);
  }
  records_ = std::move(moved);
  most_ = most;
}

std::vector<CallHistory::Numbered> CallHistory::since(std::uint64_t from, std::size_t most) const {
  const std::lock_guard lock(mutex_);
  std::vector<Numbered> found;
  for (std::uint64_t number = std::max(from, oldest()); number < next_ && found.size() < most;
       ++number) {
    found.push_back({number, records_[number % most_]});
  }
  return found;
}

std::vector<CallRecord> CallHistory::of_trace(const TraceId& trace) const {
  const std::lock_guard lock(mutex_);
  std::vector<CallRecord> found;
  for (std::uint64_t number = oldest(); number < next_; ++number) {
    const CallRecord& record = records_[number % most_];
    if (record.context.trace == trace) found.push_back(record);
  }
  return found;
}

std::uint64_t CallHistory::oldest() const {
  return std::max(first_, next_ - std::min<std::uint64_t>(next_, records_.size()));
}

std::uint64_t CallHistory::next() const {
  const std::lock_guard lock(mutex_);
  return next_;
}

}  // namespace patchbay::trace
