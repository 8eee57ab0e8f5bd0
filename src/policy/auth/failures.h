// AuthFailures counts failed attempts by address, to stop guessing. An address that has used up its
// attempts must wait. IPv6 addresses count by their /64, since a host usually has all of it.
//
// The table has a fixed size. Addresses share small sets; in a full set the address with the fewest
// failures is evicted, so that a flood from many addresses cannot clear the record of one that
// keeps guessing.
//
// Shared by all workers; usable from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

#include "async/timers.h"
#include "net/io/peer_address.h"
#include "policy/auth/settings.h"

namespace patchbay::policy {

class AuthFailures {
 public:
  explicit AuthFailures(const FailureSettings& settings);

  // The size of the table does not change.
  void update(const FailureSettings& settings);

  // How long the address must wait; zero: it may try.
  std::chrono::nanoseconds wait(const net::PeerAddress& address, Deadline now);

  void add(const net::PeerAddress& address, Deadline now);

 private:
  static constexpr std::size_t kAssociativity = 8;
  using Prefix = std::array<unsigned char, 16>;

  struct Entry {
    Prefix prefix{};
    Deadline until{};  // The end of the window.
    int count = 0;
  };

  Entry* find(const Prefix& prefix, Deadline now);
  std::size_t set_of(const Prefix& prefix) const;

  const std::uint64_t seed_;
  std::mutex mutex_;
  int most_;
  Deadline::duration window_;
  std::vector<std::array<Entry, kAssociativity>> sets_;
};

}  // namespace patchbay::policy
