// AuthFailures counts failed attempts, to stop guessing: by address and name of the credential, and
// by address alone. When the attempts are used up, further ones must wait. The same credential
// again within seconds is the same attempt: a client that tries several transports has failed once.
// IPv6 addresses count by their /64, since a host usually has all of it.
//
// The tables have a fixed size. Entries share small sets; in a full set the one with the fewest
// failures is evicted, so that a flood from many addresses cannot clear the record of one that
// keeps guessing.
//
// Shared by all workers; usable from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

#include "async/timers.h"
#include "crypto/keyed_digest.h"
#include "net/io/peer_address.h"
#include "policy/auth/settings.h"

namespace patchbay::policy {

// One attempt to authenticate. Views into the request.
struct AuthAttempt {
  const net::PeerAddress& from;
  std::string_view name;  // Of the user or of the token; empty if the credential has none.
  const Digest& digest;   // Of the credential.
};

class AuthFailures {
 public:
  explicit AuthFailures(const FailureSettings& settings);

  // The size of the tables does not change.
  void update(const FailureSettings& settings);

  // How long such attempts must wait; zero: they may be made.
  std::chrono::nanoseconds wait(const AuthAttempt& attempt, Deadline now);

  void add(const AuthAttempt& attempt, Deadline now);

 private:
  static constexpr std::size_t kAssociativity = 8;
  static constexpr std::size_t kRecentSets = 256;
  static constexpr std::uint64_t kAnyName = 0;

  // The address, and a hash of the name or kAnyName.
  struct Key {
    std::array<unsigned char, 16> prefix{};
    std::uint64_t name = kAnyName;

    bool operator==(const Key&) const = default;
  };
  struct Entry {
    Key key{};
    Deadline until{};  // The end of the window.
    int count = 0;
  };
  // An attempt that failed a moment ago.
  struct Recent {
    std::uint64_t attempt = 0;
    Deadline until{};
    int repeats = 0;
  };

  Entry* find(const Key& key, Deadline now);
  std::size_t set_of(const Key& key) const;
  Key key_of(const AuthAttempt& attempt) const;
  static Key address_of(const AuthAttempt& attempt);
  std::chrono::nanoseconds wait(const Key& key, int most, Deadline now);
  void count(const Key& key, Deadline now);
  bool is_repeated(const AuthAttempt& attempt, Deadline now);

  const std::uint64_t seed_;
  std::mutex mutex_;
  int most_;
  int most_per_address_;
  Deadline::duration window_;
  std::vector<std::array<Entry, kAssociativity>> sets_;
  std::vector<std::array<Recent, kAssociativity>> recent_;
};

}  // namespace patchbay::policy
