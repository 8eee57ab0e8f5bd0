#include "frontends/admin/load_history.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "observe/log.h"

namespace patchbay::frontends {
namespace {

// A step that took much longer was not one: the process was stopped, or the machine asleep.
constexpr auto kMostLate = LoadHistory::kStep;

float quantile_ms(const LoadCounters& counters, double share) {
  const double seconds = quantile_of(counters.at_most, share);
  return seconds < 0 ? -1 : static_cast<float>(seconds * 1e3);
}

LoadPoint point_of(const LoadCounters& now, const LoadCounters& before) {
  const LoadCounters change = difference(now, before);
  return {.calls = static_cast<float>(std::max(change.calls, 0.0)),
          .errors = static_cast<float>(std::max(change.errors, 0.0)),
          .p50 = quantile_ms(change, 0.5),
          .p95 = quantile_ms(change, 0.95),
          .p99 = quantile_ms(change, 0.99),
          .in_flight = static_cast<float>(now.in_flight),
          .known = true};
}

}  // namespace

void LoadHistory::add(Ring& ring, const LoadCounters& now, std::size_t points, bool gap) {
  if (ring.points.empty()) ring.points.resize(points);
  if (ring.last) {
    ring.points[ring.next] = gap ? LoadPoint() : point_of(now, *ring.last);
    ring.next = (ring.next + 1) % points;
  }
  ring.last = now;
}

void LoadHistory::add_step(const LoadSnapshot& now, std::uint64_t number, bool gap) {
  const auto time = std::chrono::system_clock::now();
  for (std::size_t i = 0; i < kSpans.size(); ++i) {
    const auto& span = kSpans[i];
    if (number % static_cast<std::uint64_t>(span.interval / kStep) != 0) continue;
    const bool lost = gap && span.interval == kStep;
    const std::size_t at = total_[i].next;
    add(total_[i], now.total, span.points, lost);
    ends_[i] = time;
    for (const auto& [name, counters] : now.upstreams) {
      if (name.empty()) continue;
      Rings* const rings = rings_of(name);
      if (!rings) continue;
      Ring& ring = (*rings)[i];
      // One that has just come had no calls before: its first step counts from zero.
      if (!ring.last) ring.last = LoadCounters();
      ring.next = at;
      add(ring, counters, span.points, lost);
    }
  }
}

// Null: there are as many as may be.
LoadHistory::Rings* LoadHistory::rings_of(const std::string& upstream) {
  const auto found = upstreams_.find(upstream);
  if (found != upstreams_.end()) return &found->second;
  if (upstreams_.size() < max_upstreams_) return &upstreams_[upstream];
  if (max_upstreams_ > 0 && !std::exchange(full_, true)) {
    log::Line(log::Level::warn, "upstreams without load history")
        .add("first", upstream)
        .add("setting", "telemetry.max_history_upstreams");
  }
  return nullptr;
}

void LoadHistory::set_max_upstreams(std::size_t most) {
  const std::lock_guard lock(mutex_);
  if (most == max_upstreams_) return;
  max_upstreams_ = most;
  full_ = false;
  while (upstreams_.size() > most) upstreams_.erase(std::prev(upstreams_.end()));
}

void LoadHistory::tick(Deadline now) {
  {
    const std::lock_guard lock(mutex_);
    if (!due_) begin(now);
    if (now < *due_) return;
  }
  const LoadSnapshot snapshot = read_();
  const std::lock_guard lock(mutex_);
  const bool gap = now - *due_ > kMostLate;
  add_step(snapshot, ++steps_, gap);
  // Steps do not drift, unless one was lost.
  due_ = (gap ? now : *due_) + kStep;
}

// The gateway has just started: what was called before the first step ends belongs to it.
void LoadHistory::begin(Deadline now) {
  for (auto& ring : total_) ring.last = LoadCounters();
  due_ = now + kStep;
}

std::optional<LoadHistory::Found> LoadHistory::find(std::string_view range,
                                                    std::string_view upstream) const {
  const auto* const span = std::ranges::find(kSpans, range, &Span::name);
  if (span == kSpans.end()) return std::nullopt;
  const auto number = static_cast<std::size_t>(span - kSpans.begin());
  const std::lock_guard lock(mutex_);
  Found found{*span, ends_[number], std::vector<LoadPoint>(span->points)};
  const Rings* rings = &total_;
  if (!upstream.empty()) {
    const auto own = upstreams_.find(upstream);
    if (own == upstreams_.end()) return found;
    rings = &own->second;
  }
  const Ring& ring = (*rings)[number];
  if (ring.points.empty()) return found;
  std::ranges::rotate_copy(ring.points,
                           ring.points.begin() + static_cast<std::ptrdiff_t>(ring.next),
                           found.points.begin());
  return found;
}

}  // namespace patchbay::frontends
