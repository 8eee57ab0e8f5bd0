#include "gateway/call/session_digests.h"

#include <functional>

#include "crypto/sha256.h"

namespace patchbay::gateway {

std::string_view SessionDigests::digest_of(std::string_view session) {
  constexpr std::size_t kDigits = 16;
  if (session.empty()) return {};
  Entry& entry = recent_[std::hash<std::string_view>()(session) % recent_.size()];
  if (entry.session != session) {
    entry.session = session;
    entry.digest = policy::sha256(session).substr(0, kDigits);
  }
  return entry.digest;
}

}  // namespace patchbay::gateway
