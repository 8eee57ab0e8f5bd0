#include "oauth/caller_tokens.h"

#include <algorithm>

#include "oauth/scopes.h"

namespace patchbay::oauth {

void CallerTokens::want() { wants_.fetch_add(1, std::memory_order_relaxed); }

// A token with fewer scopes must not receive the result of one with more.
std::string CallerTokens::key_of(const Principal& caller) {
  Scopes scopes = caller.scopes;
  std::ranges::sort(scopes);
  return caller.id + "\n" + join_scopes(scopes);
}

void CallerTokens::note(const Principal& caller, std::string_view token, WallTime until) {
  if (!wanted()) return;
  const std::lock_guard lock(mutex_);
  if (stored_.size() >= kMost) {
    const auto now = std::chrono::system_clock::now();
    std::erase_if(stored_, [now](const auto& entry) { return entry.second.until <= now; });
  }
  if (stored_.size() < kMost) stored_[key_of(caller)] = {std::string(token), until};
}

std::optional<std::string> CallerTokens::find(const std::string& key, WallTime now) {
  const std::lock_guard lock(mutex_);
  const auto found = stored_.find(key);
  if (found == stored_.end()) return std::nullopt;
  if (now < found->second.until) return found->second.token;
  stored_.erase(found);
  return std::nullopt;
}

}  // namespace patchbay::oauth
