#include "trace/call_histories.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace patchbay::trace {
namespace {

constexpr std::size_t kAtOnce = 32;       // Records during whose reading a worker may have to wait.
constexpr std::size_t kMostSeen = 4'096;  // Records of one worker that one page looks at.

}  // namespace

struct CallHistories::Key {
  std::int64_t ended = 0;
  std::size_t worker = 0;
  std::uint64_t number = 0;
  auto operator<=>(const Key&) const = default;
};

CallHistories::CallHistories() : process_(to_hex(new_span_id()).substr(0, 8)) {}

CallHistories::Position CallHistories::end() const {
  Position position;
  for (const auto& history : histories_) position.push_back(history->next());
  return position;
}

CallHistories::Position CallHistories::begin() const {
  Position position;
  for (const auto& history : histories_) position.push_back(history->first());
  return position;
}

// Only the keys are sorted: calls are large.
std::vector<StoredCall> CallHistories::fetch(const std::vector<Key>& keys) const {
  std::vector<StoredCall> calls;
  calls.reserve(keys.size());
  for (const Key& key : keys) {
    histories_[key.worker]->visit(key.number, 1, [&](std::uint64_t number, const CallRecord& one) {
      if (number == key.number)
        calls.emplace_back(one);  // Otherwise it has been overwritten since.
    });
  }
  return calls;
}

CallHistories::Found CallHistories::before(const Position& before, std::size_t most,
                                           const Wanted& wanted) const {
  std::vector<Key> keys;
  Found found{{}, before, false, 0};
  // If a worker has older calls that were not examined, older calls of other workers belong to a
  // later page too.
  std::int64_t horizon = std::numeric_limits<std::int64_t>::min();
  for (std::size_t worker = 0; worker < histories_.size(); ++worker) {
    const CallHistory& history = *histories_[worker];
    const std::uint64_t first = history.first();
    const std::uint64_t until = std::min(before[worker], history.next());
    std::uint64_t at = std::max(first, until - std::min<std::uint64_t>(until, kMostSeen));
    found.next[worker] = at;
    if (at > first) found.more = true;
    const std::uint64_t lowest = at;
    while (at < until) {
      const auto room = std::min<std::uint64_t>(kAtOnce, until - at);
      const auto next = history.visit(at, room, [&](std::uint64_t number, const CallRecord& one) {
        if (number == lowest && lowest > first) horizon = std::max(horizon, end_of(one));
        if (number < until && wanted(one)) keys.push_back({end_of(one), worker, number});
      });
      if (next == at) break;
      at = next;
    }
  }
  std::ranges::sort(keys, std::greater());
  const auto rest = std::ranges::find_if(keys, [&, count = std::size_t{0}](const Key& key) mutable {
    return count++ == most || key.ended < horizon;
  });
  for (auto key = rest; key != keys.end(); ++key) {
    found.more = true;
    found.next[key->worker] = std::max(found.next[key->worker], key->number + 1);
  }
  keys.erase(rest, keys.end());
  found.calls = fetch(keys);
  return found;
}

CallHistories::Found CallHistories::between(const Position& from, const Position& until,
                                            std::size_t most, const Wanted& wanted) const {
  std::vector<Key> keys;
  Found found{{}, from, false, 0};
  for (std::size_t worker = 0; worker < histories_.size(); ++worker) {
    const CallHistory& history = *histories_[worker];
    const std::uint64_t begin = std::min(from[worker], until[worker]);
    std::uint64_t at = std::max(begin, history.first());
    found.missed += at - begin;
    while (at < until[worker]) {
      const auto room = std::min<std::uint64_t>(kAtOnce, until[worker] - at);
      const auto next = history.visit(at, room, [&](std::uint64_t number, const CallRecord& one) {
        if (wanted(one)) keys.push_back({end_of(one), worker, number});
      });
      if (next == at) break;
      at = next;
    }
    found.next[worker] = at;
  }
  std::ranges::sort(keys);
  if (keys.size() > most) {
    const std::size_t surplus = keys.size() - most;
    found.missed += surplus;
    keys.erase(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(surplus));
  }
  found.calls = fetch(keys);
  return found;
}

std::string CallHistories::to_text(const Position& position) const {
  std::string text = process_;
  for (const auto number : position) text += fmt::format(".{:x}", number);
  return text;
}

Result<CallHistories::Position> CallHistories::parse(std::string_view text) const {
  const Error wrong{Code::invalid_params, "this is no cursor of this process"};
  if (!text.starts_with(process_)) return wrong;
  text.remove_prefix(process_.size());
  Position position;
  while (text.starts_with('.') && position.size() < histories_.size()) {
    text.remove_prefix(1);
    std::uint64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
    if (fault != std::errc()) return wrong;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    position.push_back(number);
  }
  if (!text.empty() || position.size() != histories_.size()) return wrong;
  return position;
}

}  // namespace patchbay::trace
