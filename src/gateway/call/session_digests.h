// The SessionDigests name sessions in spans: by a digest, since the id is a secret of its client.
// A digest costs more than all else of a span together, so those of recent sessions are stored.
//
// One per worker; confined to it.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace patchbay::gateway {

class SessionDigests {
 public:
  // 16 hexadecimal digits, valid until the next call; empty for an empty id.
  std::string_view digest_of(std::string_view session);

 private:
  struct Entry {
    std::string session;
    std::string digest;
  };

  std::array<Entry, 256> recent_;  // By the hash of the id.
};

}  // namespace patchbay::gateway
