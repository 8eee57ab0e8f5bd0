#include "policy/auth/failures.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

#include "core/ids.h"

namespace patchbay::policy {
namespace {

// The same credential within this time is the same attempt,
constexpr auto kSameAttempt = std::chrono::seconds(10);
// up to that many times, because verifying it can be expensive.
constexpr int kMostRepeats = 8;

std::uint64_t random_number() {
  const std::string hex = random_hex(8);
  std::uint64_t number = 0;
  std::from_chars(hex.data(), hex.data() + hex.size(), number, 16);
  return number;
}

template <class Bytes>
std::uint64_t hash_of(const Bytes& bytes, std::uint64_t seed) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return (std::hash<std::string_view>()(text) ^ seed) * 0x9E3779B97F4A7C15ULL;
}

}  // namespace

AuthFailures::AuthFailures(const FailureSettings& settings)
    : seed_(random_number()),
      most_(settings.most),
      most_per_address_(std::max(settings.most, settings.most_per_address)),
      window_(settings.window),
      sets_(
          std::max<std::size_t>(static_cast<std::size_t>(settings.addresses) / kAssociativity, 1)),
      recent_(kRecentSets) {}

void AuthFailures::update(const FailureSettings& settings) {
  const std::lock_guard lock(mutex_);
  most_ = settings.most;
  most_per_address_ = std::max(settings.most, settings.most_per_address);
  window_ = settings.window;
}

AuthFailures::Key AuthFailures::address_of(const AuthAttempt& attempt) {
  return {attempt.from.network(), kAnyName};
}

AuthFailures::Key AuthFailures::key_of(const AuthAttempt& attempt) const {
  return {attempt.from.network(), hash_of(attempt.name, seed_) | 1};
}

std::size_t AuthFailures::set_of(const Key& key) const {
  return hash_of(key.prefix, seed_ ^ key.name) % sets_.size();
}

AuthFailures::Entry* AuthFailures::find(const Key& key, Deadline now) {
  auto& set = sets_[set_of(key)];
  auto* const found = std::ranges::find_if(set, [&](const Entry& entry) {
    return entry.count > 0 && entry.until > now && entry.key == key;
  });
  return found == set.end() ? nullptr : found;
}

std::chrono::nanoseconds AuthFailures::wait(const Key& key, int most, Deadline now) {
  const Entry* const entry = find(key, now);
  if (!entry || entry->count < most) return std::chrono::nanoseconds(0);
  return entry->until - now;
}

std::chrono::nanoseconds AuthFailures::wait(const AuthAttempt& attempt, Deadline now) {
  const std::lock_guard lock(mutex_);
  return std::max(wait(key_of(attempt), most_, now),
                  wait(address_of(attempt), most_per_address_, now));
}

void AuthFailures::count(const Key& key, Deadline now) {
  if (Entry* const entry = find(key, now)) {
    ++entry->count;
    return;
  }
  auto& set = sets_[set_of(key)];
  auto* const victim = std::ranges::min_element(
      set, {}, [now](const Entry& entry) { return entry.until > now ? entry.count : 0; });
  *victim = {key, now + window_, 1};
}

// Remembers the attempt if it is a new one. An evicted attempt counts again when it is repeated.
bool AuthFailures::is_repeated(const AuthAttempt& attempt, Deadline now) {
  const std::uint64_t mark = hash_of(attempt.digest, hash_of(address_of(attempt).prefix, seed_));
  auto& set = recent_[(mark >> 32) % recent_.size()];
  const auto same = [&](const Recent& one) { return one.until > now && one.attempt == mark; };
  auto* const found = std::ranges::find_if(set, same);
  if (found != set.end() && found->repeats < kMostRepeats) {
    ++found->repeats;
    return true;
  }
  auto* const oldest =
      found != set.end() ? found : std::ranges::min_element(set, {}, &Recent::until);
  *oldest = {mark, now + kSameAttempt, 0};
  return false;
}

void AuthFailures::add(const AuthAttempt& attempt, Deadline now) {
  const std::lock_guard lock(mutex_);
  if (is_repeated(attempt, now)) return;
  count(key_of(attempt), now);
  count(address_of(attempt), now);
}

}  // namespace patchbay::policy
