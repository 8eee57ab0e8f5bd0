#include "core/shares.h"

#include <functional>

namespace patchbay {
namespace {

struct ShareInfo {
  std::string_view noun;
  std::string_view setting;
};

constexpr std::array<ShareInfo, kShareKinds> kShareInfos{{
    {"connections of this address", "limits.max_connections_per_address"},
    {"sessions of this caller", "limits.max_sessions_per_caller"},
    {"event streams of this caller", "limits.max_streams_per_caller"},
    {"WebSocket and wire connections of this caller", "limits.max_websockets_per_caller"},
    {"calls of this caller that wait for answers", "limits.max_parked_per_caller"},
}};

constexpr std::size_t slot_of(ShareOf what) { return static_cast<std::size_t>(what); }

Error too_many(ShareOf what) {
  const ShareInfo& info = kShareInfos[slot_of(what)];
  Error error{Code::rate_limited, "too many "};
  error.message.append(info.noun).append(" are open; close some, or try again later (");
  error.message.append(info.setting).append(")");
  return error;
}

}  // namespace

void Shares::set_most(ShareOf what, std::size_t most, bool local_too) {
  bounds_[slot_of(what)].most = most;
  bounds_[slot_of(what)].local_too = local_too;
}

Shares::Shard& Shares::shard_of(std::string_view whose) {
  return shards_[std::hash<std::string_view>()(whose) % shards_.size()];
}

Result<Shares::Share> Shares::take(ShareOf what, std::string_view whose) {
  const Bound& bound = bounds_[slot_of(what)];
  auto& open = open_[slot_of(what)];
  if (whose == kLocalShare && !bound.local_too) {
    open.fetch_add(1, std::memory_order_relaxed);
    return Share(this, what, "", false);
  }
  std::string name(whose);
  Shard& shard = shard_of(name);
  const std::lock_guard lock(shard.mutex);
  auto& held = shard.held[slot_of(what)];
  const auto found = held.find(name);
  if ((found == held.end() ? 0 : found->second) >= bound.most) return too_many(what);
  if (found == held.end()) {
    held.emplace(name, 1);
  } else {
    ++found->second;
  }
  open.fetch_add(1, std::memory_order_relaxed);
  return Share(this, what, std::move(name), true);
}

std::size_t Shares::held(ShareOf what, std::string_view whose) const {
  const auto slot = std::hash<std::string_view>()(whose) % shards_.size();
  const Shard& shard = shards_[slot];
  const std::lock_guard lock(shard.mutex);
  const auto& held = shard.held[slot_of(what)];
  const auto found = held.find(whose);
  return found == held.end() ? 0 : found->second;
}

void Shares::give_back(ShareOf what, const std::string& whose) {
  Shard& shard = shard_of(whose);
  const std::lock_guard lock(shard.mutex);
  auto& held = shard.held[slot_of(what)];
  const auto found = held.find(whose);
  if (found != held.end() && --found->second == 0) held.erase(found);
}

void Shares::Share::give_back() {
  Shares* const shares = std::exchange(shares_, nullptr);
  if (!shares) return;
  shares->open_[slot_of(what_)].fetch_sub(1, std::memory_order_relaxed);
  if (bounded_) shares->give_back(what_, whose_);
}

Shares& shares() {
  static Shares all;
  return all;
}

std::string share_owner(const Principal& caller, std::string address_share) {
  return caller.auth_method == AuthMethod::none ? std::move(address_share) : "caller " + caller.id;
}

}  // namespace patchbay
