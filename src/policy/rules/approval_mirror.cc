#include "policy/rules/approval_mirror.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace patchbay::policy {
void ApprovalMirror::learn(const ApprovalEntry& entry, store::Version version, Deadline expires,
                           bool own) {
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = entries_.try_emplace(entry.id);
  auto& row = found->second;
  if (!is_new && row.version >= version) return;
  row.version = version;
  row.own = own;
  row.asked = expires - entry.ttl;
  row.value = entry.open() ? std::optional(entry) : std::nullopt;
  row.forget = entry.open() ? expires : expires + kOverTime;
}

store::Version ApprovalMirror::version_of(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  return found == entries_.end() ? store::kAbsent : found->second.version;
}

void ApprovalMirror::forget(const std::string& id, store::Version version) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || !found->second.value) return;
  // It has expired; the next purge counts that.
  if (found->second.version <= version) found->second.forget = Deadline::min();
}

bool ApprovalMirror::is_over(const std::string& id, store::Version version) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  return found != entries_.end() && !found->second.value && found->second.version > version;
}

Result<void> ApprovalMirror::reserve(const ApprovalEntry& entry, const Limits& limits,
                                     Deadline now) {
  const std::lock_guard lock(mutex_);
  int all = 0;
  int own = 0;
  const auto count = [&](const std::string& caller) {
    ++all;
    if (caller == entry.subject.caller) ++own;
  };
  for (const auto& [id, row] : entries_) {
    if (id != entry.id && row.is_open(now)) count(row.value->subject.caller);
  }
  for (const auto& [id, reservation] : reservations_) {
    const auto written = entries_.find(id);
    const bool counted = written != entries_.end() && written->second.is_open(now);
    if (id != entry.id && !counted) count(reservation.caller);
  }
  if (all >= limits.pending || own >= limits.per_caller) {
    return Error{Code::overloaded, "too many calls wait for approval; try again later"};
  }
  auto& reservation = reservations_[entry.id];
  reservation.caller = entry.subject.caller;
  ++reservation.count;
  return ok();
}

void ApprovalMirror::release(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = reservations_.find(id);
  if (found != reservations_.end() && --found->second.count == 0) reservations_.erase(found);
}

std::vector<std::chrono::nanoseconds> ApprovalMirror::purge(Deadline now) {
  std::vector<std::chrono::nanoseconds> undecided;
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const auto& entry) {
    const auto& row = entry.second;
    if (row.forget > now) return false;
    const bool waited = row.value && row.value->state == ApprovalState::waiting;
    if (waited && row.own) undecided.push_back(now - row.asked);
    return true;
  });
  std::erase_if(calls_, [now](const auto& entry) { return entry.second.forget <= now; });
  return undecided;
}

std::vector<ApprovalEntry> ApprovalMirror::list(Deadline now) const {
  std::vector<ApprovalEntry> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, row] : entries_) {
      if (row.is_open(now)) all.push_back(*row.value);
    }
  }
  std::ranges::sort(all, {}, [](const auto& entry) { return std::tie(entry.asked, entry.id); });
  return all;
}

std::size_t ApprovalMirror::waiting(Deadline now) const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count_if(entries_, [now](const auto& entry) {
    const auto& row = entry.second;
    return row.is_open(now) && row.value->state == ApprovalState::waiting;
  }));
}

void ApprovalMirror::learn_call(const std::string& key, std::optional<ApprovedCall> call,
                                store::Version version, Deadline now) {
  const std::lock_guard lock(mutex_);
  auto& row = calls_[key];
  if (row.version >= version) return;
  row.version = version;
  row.forget = call ? kNever : now + kOverTime;
  row.value = std::move(call);
}

void ApprovalMirror::forget_call(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(key);
  if (found != calls_.end()) found->second.value.reset();
}

std::vector<ApprovalMirror::CallRows::const_iterator> ApprovalMirror::newest_calls() const {
  std::vector<CallRows::const_iterator> rows;
  for (auto row = calls_.begin(); row != calls_.end(); ++row) {
    if (row->second.value) rows.push_back(row);
  }
  std::ranges::sort(rows, std::ranges::greater(),
                    [](const auto& row) { return row->second.version; });
  return rows;
}

std::vector<ApprovedCall> ApprovalMirror::calls(std::size_t most) const {
  const std::lock_guard lock(mutex_);
  std::vector<ApprovedCall> found;
  for (const auto& row : newest_calls()) {
    if (found.size() < most) found.push_back(*row->second.value);
  }
  std::ranges::reverse(found);
  return found;
}

std::vector<std::string> ApprovalMirror::calls_beyond(std::size_t most) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> keys;
  const auto rows = newest_calls();
  for (std::size_t i = most; i < rows.size(); ++i) keys.push_back(rows[i]->first);
  return keys;
}

}  // namespace patchbay::policy
