#include "gateway/call/session_digest.h"

#include "crypto/sha256.h"

namespace patchbay::gateway {

std::string session_digest(std::string_view id) {
  constexpr std::size_t kDigits = 16;
  return policy::sha256(id).substr(0, kDigits);
}

}  // namespace patchbay::gateway
