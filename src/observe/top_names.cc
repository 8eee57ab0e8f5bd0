#include "observe/top_names.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace patchbay::metrics {
namespace {

// What remains of a score from one ranking to the next.
const double kDecay = std::pow(0.5, 1.0 / 60);
constexpr double kForgotten = 0.5;  // A candidate with a lower score.

}  // namespace

void TopNames::set_most(std::size_t most) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(most_, most) != most) ++version_;
}

TopNames::Slot TopNames::slot_of(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto found = names_.find(name);
  if (found != names_.end() && found->second.slot != 0) return found->second.slot;
  if (taken_ >= most_) return 0;
  ++taken_;
  auto& known = found != names_.end() ? found->second : names_[std::string(name)];
  return known.slot = ++last_slot_;
}

TopNames::Slot TopNames::find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = names_.find(name);
  return found == names_.end() ? 0 : found->second.slot;
}

void TopNames::add(const std::vector<Report>& reports) {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, count] : reports) names_[name].added += count;
}

void TopNames::age() {
  for (auto& [name, known] : names_) {
    known.score = known.score * kDecay + static_cast<double>(std::exchange(known.added, 0));
  }
  std::erase_if(names_, [](const auto& entry) {
    return entry.second.slot == 0 && entry.second.score < kForgotten;
  });
}

// Names with a slot from the least busy one, or those without from the busiest one.
std::vector<TopNames::Entry*> TopNames::sorted(bool with_slot) {
  std::vector<Entry*> entries;
  for (auto& entry : names_) {
    if ((entry.second.slot != 0) == with_slot) entries.push_back(&entry);
  }
  std::ranges::sort(entries, [with_slot](const Entry* a, const Entry* b) {
    return with_slot ? a->second.score < b->second.score : a->second.score > b->second.score;
  });
  return entries;
}

void TopNames::take_slot(Entry& entry, std::vector<std::string>& lost) {
  entry.second.slot = 0;
  --taken_;
  lost.push_back(entry.first);
}

// `candidates` from the busiest one.
void TopNames::forget_least(std::vector<Entry*>& candidates) {
  while (candidates.size() > kMostCandidates) {
    const std::string& name = candidates.back()->first;
    names_.erase(names_.find(name));
    candidates.pop_back();
  }
}

std::vector<std::string> TopNames::rank(Deadline now) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> lost;
  if (due_ && now < *due_) return lost;
  due_ = now + kInterval;
  age();
  auto candidates = sorted(false);
  forget_least(candidates);
  const auto busy = [](const Entry* entry) { return entry->second.score >= kLeastCount; };
  if (taken_ <= most_ && !std::ranges::any_of(candidates, busy)) return lost;
  const auto holders = sorted(true);
  std::size_t next = 0;  // Of `holders`.
  while (taken_ > most_) take_slot(*holders[next++], lost);
  const std::size_t swaps = std::min(std::max<std::size_t>(most_ / kShare, 1), taken_);
  for (std::size_t i = 0; i < std::min(swaps, candidates.size()); ++i, ++next) {
    Known& candidate = candidates[i]->second;
    if (next == holders.size() || !busy(candidates[i])) break;
    if (candidate.score <= kTimesBusier * holders[next]->second.score) break;
    take_slot(*holders[next], lost);
    ++taken_;
    candidate.slot = ++last_slot_;
  }
  if (!lost.empty()) ++version_;
  return lost;
}

}  // namespace patchbay::metrics
