#include "policy/auth/failures.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "core/ids.h"

namespace patchbay::policy {
namespace {

std::uint64_t random_number() {
  const std::string hex = random_hex(8);
  std::uint64_t number = 0;
  std::from_chars(hex.data(), hex.data() + hex.size(), number, 16);
  return number;
}

}  // namespace

AuthFailures::AuthFailures(const FailureSettings& settings)
    : seed_(random_number()),
      most_(settings.most),
      window_(settings.window),
      sets_(std::max<std::size_t>(static_cast<std::size_t>(settings.addresses) / kAssociativity,
                                  1)) {}

void AuthFailures::update(const FailureSettings& settings) {
  const std::lock_guard lock(mutex_);
  most_ = settings.most;
  window_ = settings.window;
}

std::size_t AuthFailures::set_of(const Prefix& prefix) const {
  const std::string_view bytes(reinterpret_cast<const char*>(prefix.data()), prefix.size());
  return (std::hash<std::string_view>()(bytes) ^ seed_) * 0x9E3779B97F4A7C15ULL % sets_.size();
}

AuthFailures::Entry* AuthFailures::find(const Prefix& prefix, Deadline now) {
  auto& set = sets_[set_of(prefix)];
  auto* const found = std::ranges::find_if(set, [&](const Entry& entry) {
    return entry.count > 0 && entry.until > now && entry.prefix == prefix;
  });
  return found == set.end() ? nullptr : found;
}

std::chrono::nanoseconds AuthFailures::wait(const net::PeerAddress& address, Deadline now) {
  const std::lock_guard lock(mutex_);
  const Entry* const entry = find(address.network(), now);
  if (!entry || entry->count < most_) return std::chrono::nanoseconds(0);
  return entry->until - now;
}

void AuthFailures::add(const net::PeerAddress& address, Deadline now) {
  const Prefix prefix = address.network();
  const std::lock_guard lock(mutex_);
  if (Entry* const entry = find(prefix, now)) {
    ++entry->count;
    return;
  }
  auto& set = sets_[set_of(prefix)];
  auto* const victim = std::ranges::min_element(
      set, {}, [now](const Entry& entry) { return entry.until > now ? entry.count : 0; });
  *victim = {prefix, now + window_, 1};
}

}  // namespace patchbay::policy
