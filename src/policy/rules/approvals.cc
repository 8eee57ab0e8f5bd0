#include "policy/rules/approvals.h"

#include "config/fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ids.h"

namespace patchbay::policy {

void Approvals::set(const ApprovalSettings& settings) {
  const std::lock_guard lock(mutex_);
  settings_ = settings;
  forget_oldest();
}

ApprovalSettings Approvals::settings() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

void Approvals::count_in(metrics::Registry& registry) {
  registry_ = &registry;
  registry.watch_gauge("patchbay_approvals_waiting", "Calls that wait for a person's approval.",
                       [this] { return static_cast<double>(waiting()); });
}

std::size_t Approvals::waiting() const {
  const auto now = Clock::now();
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count_if(
      entries_, [now](const auto& entry) { return !entry.approved && entry.expires > now; }));
}

// Rare, since a person decides, so the series need not be cached.
void Approvals::note_decision(std::string_view outcome, std::chrono::nanoseconds waited) {
  if (!registry_) return;
  registry_
      ->counter("patchbay_approvals_total", "Decisions about calls that need approval.",
                metrics::labels({{"outcome", outcome}}))
      ->add();
  registry_
      ->histogram("patchbay_approval_wait_seconds", "Time until a decision about an approval.", "",
                  metrics::kPerson)
      ->observe(std::chrono::duration<double>(waited).count());
}

void Approvals::forget_expired(Deadline now) {
  for (const auto& entry : entries_) {
    if (entry.expires <= now && !entry.approved) note_decision("expired", now - entry.asked);
  }
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

Result<std::string> Approvals::request(const ApprovalSubject& subject, const Principal& caller,
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
  entry = {.id = random_hex(8),
           .subject = subject,
           .caller_name = caller.name,
           .arguments = std::move(arguments),
           .asked = now,
           .expires = now + settings_.expires};
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
    return Error{Code::forbidden, "a caller cannot approve its own call; another admin must"};
  }
  if (!entry.approved) note_decision("approved", now - entry.asked);
  entry.approved = true;
  entry.approved_by = by.name;
  entry.expires = now + settings_.expires;
  remember(entry, now);
  return entry;
}

void Approvals::remember(const ApprovalEntry& entry, Deadline now) {
  std::erase_if(approved_, [&](const auto& one) { return one.tool == entry.subject.tool; });
  approved_.push_back(
      {entry.subject.tool, entry.subject.caller, entry.arguments, entry.approved_by, now});
  forget_oldest();
}

void Approvals::forget_oldest() {
  while (std::cmp_greater(approved_.size(), settings_.remembered)) approved_.pop_front();
}

std::vector<ApprovedCall> Approvals::approved() const {
  const std::lock_guard lock(mutex_);
  return {approved_.begin(), approved_.end()};
}

Result<ApprovalEntry> Approvals::refuse(const std::string& id, Deadline now) {
  const std::lock_guard lock(mutex_);
  forget_expired(now);
  auto found = find(id);
  if (!found) return found.error();
  ApprovalEntry entry = std::move(**found);
  if (!entry.approved) note_decision("refused", now - entry.asked);
  entries_.erase(*found);
  return entry;
}

}  // namespace patchbay::policy

namespace patchbay {

template <>
const config::Fields& config::fields<policy::ApprovalSettings>() {
  static const Fields kFields = fields_of<policy::ApprovalSettings>({
      {"elicit", &policy::ApprovalSettings::elicit,
       "Whether an MCP client may ask its own user for approval (elicitation). Off: only an "
       "admin approves. Empty: off with `auth`, since a client with a token could answer by "
       "itself; on without it."},
      {"ttl", &policy::ApprovalSettings::expires,
       "How long a call waits for approval, and how long an approval then waits for the call.",
       Range{Duration(1'000), Duration(86'400'000)}, Alias{"expires"}},
      {"max_pending", &policy::ApprovalSettings::pending,
       "Maximum number of calls waiting for approval.", Range{1, 100'000}, Alias{"pending"}},
      {"max_pending_per_caller", &policy::ApprovalSettings::per_caller,
       "Maximum number of calls of one caller waiting for approval.", Range{1, 100'000},
       Alias{"per_caller"}},
      {"max_remembered_calls", &policy::ApprovalSettings::remembered,
       "Number of tools whose last approved call is remembered, so that a person sees what is "
       "different in the next one. Each is as large as its arguments.",
       Range{0, 100'000}},
      {"max_arguments_size", &policy::ApprovalSettings::arguments,
       "Maximum size of the arguments displayed to a person. A call with larger arguments is "
       "refused.",
       Range{Bytes{256}, Bytes{1 << 20}}, Alias{"arguments"}},
  });
  return kFields;
}

}  // namespace patchbay
