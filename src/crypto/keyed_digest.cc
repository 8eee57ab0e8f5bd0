#include "crypto/keyed_digest.h"

#include <sys/random.h>

namespace patchbay::policy {
namespace {

template <class Value>
std::string_view bytes_of(const Value& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

}  // namespace

Result<Digester> Digester::random() {
  Digest key;
  if (::getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size())) {
    return Error{Code::internal, "there is no randomness to make a key from"};
  }
  return Digester(key);
}

Digest Digester::of(std::string_view kind, std::string_view text) const {
  const std::size_t length = kind.size();
  return sha256_of({bytes_of(key_), bytes_of(length), kind, text});
}

}  // namespace patchbay::policy
