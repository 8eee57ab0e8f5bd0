#include "policy/rates/rates.h"

#include <fmt/format.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "core/glob.h"
#include "crypto/sha256.h"
#include "net/io/peer_address.h"
#include "policy/rules/rules.h"

namespace patchbay::policy {
namespace {

using std::chrono::nanoseconds;

constexpr auto kSweepPause = std::chrono::seconds(1);

// Gateways that count together: one of this share of a burst is not reported at once, but with the
// next turn. So gateways together admit little more than the bound, and report little more often.
constexpr int kShareUnreported = 64;
constexpr std::size_t kKeyDigits = 32;
// No sum of two of these with a point in time overflows.
constexpr nanoseconds kLongest = std::chrono::hours(24 * 365 * 100);

// Subjects beyond the maximum share one entry.
constexpr std::string_view kEveryoneElse = "?";

bool is_targeted(const RateSettings& row) {
  return row.per == Per::tool || row.per == Per::upstream || !row.of.empty();
}

bool concerns(const RateSettings& row, const Rates::Request& request) {
  const auto fits = [&](const std::string& glob) { return matches_glob(glob, request.tool); };
  if (!row.of.empty() && std::ranges::none_of(row.of, fits)) return false;
  const auto has = [&](const std::string& role) {
    if (request.rules) return request.rules->has_role(request.caller, role);
    return std::ranges::find(request.caller.roles, role) != request.caller.roles.end();
  };
  return row.roles.empty() || std::ranges::any_of(row.roles, has);
}

std::string subject(const RateSettings& row, const Rates::Request& request) {
  switch (row.per) {
    case Per::principal:
      return request.caller.id;
    case Per::address:
      return net::network_text(request.address);
    case Per::tool:
      return std::string(request.tool);
    case Per::upstream:
      return std::string(request.upstream);
    case Per::everyone:
      break;
  }
  return "";
}

int burst_of(const RateSettings& row) { return row.burst > 0 ? row.burst : row.calls; }

// The time that one call uses up; at least one tick, however many calls a window has.
nanoseconds step_of(const RateSettings& row) {
  return std::max(nanoseconds(1), nanoseconds(row.window) / row.calls);
}

// The time that a whole burst uses up.
nanoseconds room_of(const RateSettings& row, nanoseconds step) {
  const auto burst = static_cast<std::int64_t>(burst_of(row));
  return step > kLongest / burst ? kLongest : step * burst;
}

std::string_view name_of(Per per) {
  for (const auto& choice : config::choices<Per>) {
    if (choice.value == per) return choice.name;
  }
  return "";
}

std::string_view whose(Per per) {
  switch (per) {
    case Per::principal:
      return "of this caller";
    case Per::address:
      return "from this address";
    case Per::tool:
      return "of this tool";
    case Per::upstream:
      return "to this upstream";
    case Per::everyone:
      break;
  }
  return "of all callers";
}

Error too_often(const RateSettings& row, nanoseconds wait) {
  if (wait == nanoseconds(0)) {
    return {Code::rate_limited,
            fmt::format("too many calls {} are running: at most {} at once", whose(row.per),
                        row.running),
            fmt::format(R"({{"reason":"rate_limited","limit":{}}})", row.running)};
  }
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(wait).count();
  const std::string window = config::print(row.window);
  return {Code::rate_limited,
          fmt::format("too many calls {}: at most {} in {}; retry in {} s", whose(row.per),
                      row.calls, window, (ms + 999) / 1000),
          fmt::format(R"({{"reason":"rate_limited","limit":{},"window":"{}","retryAfterMs":{}}})",
                      row.calls, window, ms)};
}

}  // namespace

Rates::Permit::~Permit() {
  for (const auto& held : held_) held.running->fetch_sub(1, std::memory_order_relaxed);
}

Rates::Rates(std::vector<RateSettings> rows, std::size_t most_keys, metrics::Registry* registry)
    : rows_(std::move(rows)),
      most_keys_(std::max<std::size_t>(1, most_keys / kShards)),
      refused_(rows_.size()) {
  for (std::size_t i = 0; registry && i < rows_.size(); ++i) {
    const auto counter = [&](std::string_view reason) {
      const std::string row = fmt::format("{}", i);
      return registry->counter(
          "patchbay_rate_refused_total", "Calls refused by a row of limits.rates.",
          metrics::labels({{"row", row}, {"per", name_of(rows_[i].per)}, {"reason", reason}}));
    };
    if (rows_[i].calls > 0) refused_[i].rate = counter("rate");
    if (rows_[i].running > 0) refused_[i].running = counter("concurrency");
  }
}

Result<void> Rates::admit(const Request& request, Deadline now, Permit& permit,
                          std::optional<Quota>& quota) {
  return apply(false, request, now, permit, &quota);
}

Result<void> Rates::admit_to(const Request& request, Deadline now, Permit& permit) {
  return apply(true, request, now, permit, nullptr);
}

Result<void> Rates::apply(bool targeted, const Request& request, Deadline now, Permit& permit,
                          std::optional<Quota>* quota) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const RateSettings& row = rows_[i];
    if (is_targeted(row) != targeted || !concerns(row, request)) continue;
    const Verdict verdict = take(i, fmt::format("{} {}", i, subject(row, request)), now, permit);
    const bool nearer =
        verdict.quota && quota && (!*quota || verdict.quota->remaining < (*quota)->remaining);
    if (nearer) *quota = verdict.quota;
    if (verdict.admitted) continue;
    const bool too_many = verdict.wait == nanoseconds(0);
    const auto& counter = too_many ? refused_[i].running : refused_[i].rate;
    if (counter) counter->add();
    return too_often(row, verdict.wait);
  }
  return ok();
}

Rates::Verdict Rates::take(std::size_t number, const std::string& key, Deadline now,
                           Permit& permit) {
  const RateSettings& row = rows_[number];
  Shard& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  auto& entry = use_of(shard, number, key, now);
  Use& use = entry.second;
  if (row.running > 0) {
    if (!use.running) use.running = std::make_shared<std::atomic<int>>(0);
    if (use.running->load(std::memory_order_relaxed) >= row.running) return {.admitted = false};
  }
  Verdict verdict;
  if (row.calls > 0) {
    const nanoseconds step = step_of(row);
    const nanoseconds room = room_of(row, step);
    const nanoseconds at = now.time_since_epoch();
    const nanoseconds begin = std::max(at, nanoseconds(use.used_until));
    verdict.admitted = begin + step <= at + room;
    if (verdict.admitted) {
      use.used_until = (begin + step).count();
      if (hurry_) note_use(shard, number, entry);
    } else {
      verdict.wait = std::max(nanoseconds(1), begin + step - at - room);
    }
    const nanoseconds used = nanoseconds(use.used_until) - at;
    verdict.quota = Quota{burst_of(row), static_cast<int>((room - used) / step), used};
  }
  if (verdict.admitted && row.running > 0) {
    use.running->fetch_add(1, std::memory_order_relaxed);
    permit.held_.push_back({use.running});
  }
  return verdict;
}

// An entry that has its full quota is equal to no entry, so these are evicted first.
Rates::Uses::value_type& Rates::use_of(Shard& shard, std::size_t row, const std::string& key,
                                       Deadline now) const {
  if (const auto found = shard.uses.find(key); found != shard.uses.end()) return *found;
  if (shard.uses.size() >= most_keys_ && now >= shard.next_sweep) {
    shard.next_sweep = now + kSweepPause;
    const auto ticks = now.time_since_epoch().count();
    std::erase_if(shard.uses, [&](const auto& entry) {
      const Use& use = entry.second;
      return use.used_until <= ticks && (!use.running || use.running->load() == 0) && !use.listed &&
             !use.reporting;
    });
  }
  const bool room = shard.uses.size() < most_keys_;
  return *shard.uses.try_emplace(room ? key : fmt::format("{} {}", row, kEveryoneElse)).first;
}

void Rates::share(std::function<void()> hurry) {
  hurry_ = std::move(hurry);
  // The same row of another gateway may have another number, while a configuration is rolled out.
  std::map<std::string, int> same;
  for (const auto& row : rows_) {
    std::string text = fmt::format("{} {} {} {} {}", name_of(row.per), row.calls,
                                   row.window.count(), burst_of(row), fmt::join(row.of, " "));
    text += fmt::format(" of {}", fmt::join(row.roles, " "));
    const int number = same[text]++;
    tags_.push_back(sha256(fmt::format("{} {}", number, text)));
  }
}

// REQUIRES: the shard is locked.
void Rates::note_use(Shard& shard, std::size_t row, Uses::value_type& entry) {
  Use& use = entry.second;
  ++use.unreported;
  if (!use.listed) {
    use.listed = true;
    shard.unreported.emplace_back(row, &entry);
  }
  hurry_if_many(row, use);
}

void Rates::hurry_if_many(std::size_t row, const Use& use) {
  if (use.reporting || use.unreported <= burst_of(rows_[row]) / kShareUnreported) return;
  if (!hurried_.exchange(true)) hurry_();
}

std::vector<Rates::Unreported> Rates::take_unreported(std::size_t most) {
  hurried_ = false;
  std::vector<Unreported> taken;
  for (auto& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    std::erase_if(shard.unreported, [&](const auto& listed) {
      const auto& [row, entry] = listed;
      Use& use = entry->second;
      if (use.reporting || taken.size() >= most) return false;
      const nanoseconds step = step_of(rows_[row]);
      const nanoseconds by = std::min<std::int64_t>(use.unreported, kLongest / step) * step;
      taken.push_back({row, entry->first, {}, std::chrono::round<std::chrono::microseconds>(by)});
      use.unreported = 0;
      use.listed = false;
      use.reporting = true;
      return true;
    });
  }
  for (auto& one : taken) {
    const auto subject = std::string_view(one.key).substr(one.key.find(' ') + 1);
    one.shared_key = sha256(fmt::format("{} {}", tags_[one.row], subject)).substr(0, kKeyDigits);
  }
  return taken;
}

void Rates::use_reported(const Unreported& reported, const Result<std::chrono::microseconds>& ahead,
                         Deadline now) {
  Shard& shard = shard_of(reported.key);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.uses.find(reported.key);
  if (found == shard.uses.end()) return;
  Use& use = found->second;
  use.reporting = false;
  if (ahead) {
    const nanoseconds step = step_of(rows_[reported.row]);
    const nanoseconds since = std::min<std::int64_t>(use.unreported, kLongest / step) * step;
    const nanoseconds all = std::min<nanoseconds>(*ahead, kLongest) + since;
    use.used_until = (now.time_since_epoch() + all).count();
  }
  hurry_if_many(reported.row, use);
}

}  // namespace patchbay::policy
