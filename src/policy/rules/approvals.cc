#include "policy/rules/approvals.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ids.h"

namespace patchbay::policy {

void Approvals::set(const ApprovalSettings& settings) {
  const std::lock_guard lock(mutex_);
  settings_ = settings;
}

ApprovalSettings Approvals::settings() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

void Approvals::forget_expired(Deadline now) {
  std::erase_if(entries_, [now](const ApprovalEntry& entry) { return entry.expires <= now; });
}

std::optional<std::string> Approvals::take(const ApprovalSubject& subject, Deadline now) {
  const std::lock_guard lock(mutex_);
  forget_expired(now);
  const auto found = std::ranges::find_if(entries_, [&](const ApprovalEntry& entry) {
    return entry.approved && entry.subject == subject;
  });
  if (found == entries_.end()) return std::nullopt;
  std::string by = std::move(found->approved_by);
  entries_.erase(found);
  return by;
}

Result<std::string> Approvals::request(const ApprovalSubject& subject, const Principal& who,
                                       std::string arguments, Deadline now) {
  const std::lock_guard lock(mutex_);
  forget_expired(now);
  const auto same = std::ranges::find(entries_, subject, &ApprovalEntry::subject);
  if (same != entries_.end()) return same->id;
  const auto own = std::ranges::count_if(
      entries_, [&](const ApprovalEntry& entry) { return entry.subject.caller == subject.caller; });
  if (std::cmp_greater_equal(entries_.size(), settings_.pending) || own >= settings_.per_caller) {
    return Error{Code::overloaded, "too many calls wait for approval; try again later"};
  }
  auto& entry = entries_.emplace_back();
  entry = {random_hex(8),           subject, who.name, std::move(arguments), false,
           now + settings_.expires, {}};
  return entry.id;
}

std::vector<ApprovalEntry> Approvals::list(Deadline now) {
  const std::lock_guard lock(mutex_);
  forget_expired(now);
  return {entries_.begin(), entries_.end()};
}

Result<std::deque<ApprovalEntry>::iterator> Approvals::find(const std::string& id) {
  const auto found = std::ranges::find(entries_, id, &ApprovalEntry::id);
  if (found != entries_.end()) return found;
  return Error{Code::not_found, fmt::format("no call waits for approval as '{}'", id)};
}

Result<ApprovalEntry> Approvals::approve(const std::string& id, const Principal& by, Deadline now) {
  const std::lock_guard lock(mutex_);
  forget_expired(now);
  auto found = find(id);
  if (!found) return found.error();
  ApprovalEntry& entry = **found;
  if (by.auth_method != AuthMethod::none && by.id == entry.subject.caller) {
    return Error{Code::forbidden, "a caller cannot approve its own call; ask another admin"};
  }
  entry.approved = true;
  entry.approved_by = by.name;
  entry.expires = now + settings_.expires;
  return entry;
}

Result<ApprovalEntry> Approvals::refuse(const std::string& id, Deadline now) {
  const std::lock_guard lock(mutex_);
  forget_expired(now);
  auto found = find(id);
  if (!found) return found.error();
  ApprovalEntry entry = std::move(**found);
  entries_.erase(*found);
  return entry;
}

}  // namespace patchbay::policy
