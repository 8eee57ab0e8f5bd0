#include "policy/rules/approvals.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/fields.h"
#include "observe/log.h"

namespace patchbay::policy {
namespace {

using std::chrono::system_clock;

// Longer than the store waits for another process that writes.
constexpr auto kStoreTimeout = std::chrono::seconds(10);
constexpr auto kLoadAgain = std::chrono::seconds(1);
constexpr std::size_t kPage = 100;
// A change is made anew if another one was faster. Nobody is faster many times.
constexpr int kAttempts = 5;

Deadline store_deadline() { return here().now() + kStoreTimeout; }

Error store_failure(const Error& why) {
  if (why.code == Code::cancelled) return why;
  return {Code::unavailable,
          fmt::format("approvals cannot be read or written in the store (cluster.store): {}",
                      why.message)};
}

Error busy() { return {Code::overloaded, "this approval is being changed; try again"}; }

// How long an entry is still valid that was written some time ago. The clock of the gateway that
// wrote it may differ.
Deadline expiry_of(const ApprovalEntry& entry) {
  const auto left = entry.expires - system_clock::now();
  const bool plausible = left > left.zero() && left < entry.ttl;
  return here().now() + (plausible ? left : entry.ttl);
}

}  // namespace

void Approvals::start() {
  // Nobody else can have a store that ends with this process.
  loaded_ = !store_.outlives_process();
  if (loaded_) return;
  watch_ = store_.watch(kApprovalTable, here(), [this](const auto& change) { on_change(change); });
  call_watch_ = store_.watch(kApprovedCallTable, here(),
                             [this](const auto& change) { on_call_change(change); });
  loading_.spawn(keep_loading());
}

Task<void> Approvals::stop() {
  watch_.reset();
  call_watch_.reset();
  loading_.cancel();
  co_return co_await loading_.drain(kNever);
}

Task<void> Approvals::keep_loading() {
  for (bool logged = false;; logged = true) {
    auto done = co_await load();
    if (done) co_return ok();
    if (!logged && done.error().code != Code::cancelled) {
      log::Line(log::Level::error, "approvals not read").add("why", done.error().message);
    }
    auto slept = co_await sleep_until(here().now() + kLoadAgain);
    if (!slept) co_return slept;
  }
}

// May run several times at once: the mirror takes what is newer.
Task<void> Approvals::load() {
  if (loaded_) co_return ok();
  auto done = co_await load_entries();
  if (done) done = co_await load_calls();
  if (!done) co_return store_failure(done.error());
  loaded_ = true;
  co_return ok();
}

Task<void> Approvals::load_entries() {
  for (std::string after;;) {
    auto page = co_await store_.scan(kApprovalTable, after, kPage, store_deadline());
    if (!page) co_return page.error();
    if (page->empty()) co_return ok();
    after = page->back().key;
    for (const auto& [key, value, version] : *page) {
      const auto entry = approval_entry(key, value);
      if (entry) mirror_.learn(*entry, version, expiry_of(*entry), false);
    }
  }
}

Task<void> Approvals::load_calls() {
  for (std::string after;;) {
    auto page = co_await store_.scan(kApprovedCallTable, after, kPage, store_deadline());
    if (!page) co_return page.error();
    if (page->empty()) co_return ok();
    after = page->back().key;
    for (const auto& [key, value, version] : *page) {
      auto call = approved_call(value);
      if (call) mirror_.learn_call(key, *std::move(call), version, here().now());
    }
  }
}

// It has just been made, so the time that is left is known without a clock.
void Approvals::on_change(const store::Change& change) {
  if (!change.value) return mirror_.forget(change.key, change.version);
  const auto entry = approval_entry(change.key, *change.value);
  if (entry) mirror_.learn(*entry, change.version, here().now() + entry->ttl, false);
}

void Approvals::on_call_change(const store::Change& change) {
  std::optional<ApprovedCall> known;
  if (change.value) {
    auto call = approved_call(*change.value);
    if (!call) return;
    known = *std::move(call);
  }
  mirror_.learn_call(change.key, std::move(known), change.version, here().now());
}

void Approvals::set(const ApprovalSettings& settings) {
  const std::lock_guard lock(mutex_);
  settings_ = settings;
}

ApprovalSettings Approvals::settings() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

void Approvals::count_in(metrics::Registry& registry) {
  registry_ = &registry;
  registry.watch_gauge("patchbay_approvals_waiting", "Calls that wait for a person's approval.",
                       [this] { return static_cast<double>(mirror_.waiting(Clock::now())); });
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

void Approvals::count_expired() {
  for (const auto waited : mirror_.purge(here().now())) note_decision("expired", waited);
}

Task<Approvals::Found> Approvals::read(std::string id) {
  Found found{{.id = id, .state = ApprovalState::used}};
  const store::Version known = mirror_.version_of(id);
  auto stored = co_await store_.get(kApprovalTable, id, store_deadline());
  if (!stored) co_return store_failure(stored.error());
  if (!*stored) {
    mirror_.forget(id, known);
    co_return found;
  }
  auto entry = approval_entry(std::move(id), (*stored)->value);
  if (!entry) co_return store_failure(entry.error());
  found = {*std::move(entry), (*stored)->version};
  mirror_.learn(found.entry, found.version, expiry_of(found.entry), false);
  co_return found;
}

Task<Approvals::Found> Approvals::read_open(std::string id) {
  const Error unknown{Code::not_found, fmt::format("no call waits for approval as '{}'", id)};
  if (!is_approval_id(id)) co_return unknown;
  auto found = co_await read(std::move(id));
  if (found && !found->entry.open()) co_return unknown;
  co_return found;
}

Task<bool> Approvals::write(const ApprovalEntry& entry, store::Version expected) {
  const auto expires = entry.open() ? entry.expires : system_clock::now() + kOverTime;
  auto version = co_await store_.put_if(kApprovalTable, {entry.id, text_of(entry), expires},
                                        expected, store_deadline());
  if (!version) co_return store_failure(version.error());
  if (!*version) co_return false;
  mirror_.learn(entry, **version, here().now() + entry.ttl, entry.state == ApprovalState::waiting);
  co_return true;
}

// The store decides which of several gateways uses it. A store that has lost its last changes, as
// after a failure of its machine, does not bring back what is known here to be used.
Task<std::optional<std::string>> Approvals::take(ApprovalSubject subject) {
  auto found = co_await read(approval_id(subject));
  if (!found) co_return found.error();
  ApprovalEntry entry = std::move(found->entry);
  if (entry.state != ApprovalState::approved || entry.subject != subject ||
      mirror_.is_over(entry.id, found->version)) {
    co_return std::nullopt;
  }
  entry.state = ApprovalState::used;
  auto used = co_await write(entry, found->version);
  if (!used) co_return used.error();
  if (!*used) co_return std::nullopt;
  co_return std::optional(std::move(entry.approved_by));
}

Task<std::string> Approvals::request(ApprovalSubject subject, std::string caller_name,
                                     std::string arguments) {
  // Without what is stored, the limits would not hold.
  if (auto loaded = co_await load(); !loaded) co_return loaded.error();
  ApprovalEntry entry{.id = approval_id(subject),
                      .subject = std::move(subject),
                      .caller_name = std::move(caller_name),
                      .arguments = std::move(arguments)};
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto found = co_await read(entry.id);
    if (!found) co_return found.error();
    if (found->entry.open()) co_return entry.id;
    count_expired();
    const ApprovalSettings now = settings();
    auto reserved = mirror_.reserve(entry, {now.pending, now.per_caller}, here().now());
    if (!reserved) co_return reserved.error();
    entry.asked = system_clock::now();
    entry.expires = entry.asked + now.expires;
    entry.ttl = now.expires;
    auto written = co_await write(entry, found->version);
    mirror_.release(entry.id);
    if (!written) co_return written.error();
    if (*written) co_return entry.id;
  }
  co_return busy();
}

Task<std::vector<ApprovalEntry>> Approvals::list() {
  if (auto loaded = co_await load(); !loaded) co_return loaded.error();
  count_expired();
  co_return mirror_.list(here().now());
}

std::vector<ApprovedCall> Approvals::approved() const {
  return mirror_.calls(static_cast<std::size_t>(settings().remembered));
}

Task<ApprovalEntry> Approvals::find(std::string id) {
  auto found = co_await read_open(std::move(id));
  if (!found) co_return found.error();
  co_return std::move(found->entry);
}

Task<ApprovalEntry> Approvals::approve(std::string id, Principal by) {
  co_return co_await decide(std::move(id), &by);
}

Task<ApprovalEntry> Approvals::refuse(std::string id) {
  co_return co_await decide(std::move(id), nullptr);
}

// Without an approver the call is refused.
Task<ApprovalEntry> Approvals::decide(std::string id, const Principal* approver) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto found = co_await read_open(id);
    if (!found) co_return found.error();
    ApprovalEntry next = found->entry;
    if (approver && approver->auth_method != AuthMethod::none &&
        approver->id == next.subject.caller) {
      co_return Error{Code::forbidden, "a caller cannot approve its own call; another admin must"};
    }
    next.state = approver ? ApprovalState::approved : ApprovalState::refused;
    if (approver) {
      next.approved_by = approver->name;
      next.ttl = settings().expires;
      next.expires = system_clock::now() + next.ttl;
    }
    auto written = co_await write(next, found->version);
    if (!written) co_return written.error();
    if (!*written) continue;
    if (found->entry.state == ApprovalState::waiting) {
      const auto waited =
          std::max(system_clock::now() - next.asked, system_clock::duration::zero());
      note_decision(approver ? "approved" : "refused", waited);
    }
    if (!approver) co_return std::move(found->entry);
    auto remembered = co_await remember(next);
    if (!remembered) {
      log::Line(log::Level::warn, "approved call not stored")
          .add("tool", next.subject.tool)
          .add("why", remembered.error().message);
    }
    co_return next;
  }
  co_return busy();
}

Task<void> Approvals::remember(const ApprovalEntry& entry) {
  const auto most = static_cast<std::size_t>(settings().remembered);
  if (most > 0) {
    ApprovedCall call{entry.subject.tool, entry.subject.caller, entry.arguments, entry.approved_by,
                      system_clock::now()};
    const std::string key = approved_call_key(call.tool);
    auto version = co_await store_.put(kApprovedCallTable, {key, text_of(call)}, store_deadline());
    if (!version) co_return version.error();
    mirror_.learn_call(key, std::move(call), *version, here().now());
  }
  for (const auto& key : mirror_.calls_beyond(most)) {
    auto erased = co_await store_.erase(kApprovedCallTable, key, store_deadline());
    if (!erased) co_return erased;
    mirror_.forget_call(key);
  }
  co_return ok();
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
