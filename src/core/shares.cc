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

constexpr std::size_t place_of(ShareOf what) { return static_cast<std::size_t>(what); }

Error too_many(ShareOf what) {
  const ShareInfo& info = kShareInfos[place_of(what)];
  Error error{Code::rate_limited, "too many "};
  error.message.append(info.noun).append(" are open; close some, or try again later (");
  error.message.append(info.setting).append(")");
  return error;
}

}  // namespace

void Shares::set_most(ShareOf what, std::size_t most, bool local_too) {
  bounds_[place_of(what)].most = most;
  bounds_[place_of(what)].local_too = local_too;
}

Shares::Shard& Shares::shard_of(std::string_view whose) {
  return shards_[std::hash<std::string_view>()(whose) % shards_.size()];
}

Result<Shares::Share> Shares::take(ShareOf what, std::string_view whose) {
  const Bound& bound = bounds_[place_of(what)];
  if (whose == kLocalShare && !bound.local_too) return Share();
  std::string name(whose);
  Shard& shard = shard_of(name);
  const std::lock_guard lock(shard.mutex);
  auto& held = shard.held[place_of(what)];
  const auto found = held.find(name);
  if ((found == held.end() ? 0 : found->second) >= bound.most) return too_many(what);
  if (found == held.end()) {
    held.emplace(name, 1);
  } else {
    ++found->second;
  }
  return Share(this, what, std::move(name));
}

std::size_t Shares::held(ShareOf what, std::string_view whose) const {
  const auto place = std::hash<std::string_view>()(whose) % shards_.size();
  const Shard& shard = shards_[place];
  const std::lock_guard lock(shard.mutex);
  const auto& held = shard.held[place_of(what)];
  const auto found = held.find(whose);
  return found == held.end() ? 0 : found->second;
}

void Shares::give_back(ShareOf what, const std::string& whose) {
  Shard& shard = shard_of(whose);
  const std::lock_guard lock(shard.mutex);
  auto& held = shard.held[place_of(what)];
  const auto found = held.find(whose);
  if (found != held.end() && --found->second == 0) held.erase(found);
}

void Shares::Share::give_back() {
  if (auto* const shares = std::exchange(shares_, nullptr)) shares->give_back(what_, whose_);
}

Shares& shares() {
  static Shares all;
  return all;
}

std::string share_owner(const Principal& who, std::string address_share) {
  return who.auth_method == AuthMethod::none ? std::move(address_share) : "caller " + who.id;
}

}  // namespace patchbay
