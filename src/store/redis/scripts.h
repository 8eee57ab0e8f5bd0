// The scripts that the server runs: each is one step of the store, which nothing interrupts.
//
// For a table there are, below `prefix:table`:
//
//   e:KEY  the value of an entry, as `version:sealed`, which expires with it
//   n:KEY  a counter, or a point in time in microseconds
//   v      the last version
//   i      the keys, all with the same score, so that they are in their order
//   c      the keys by the version of their last change; erased ones too, for a while
//   x      the keys by the time at which they may be forgotten in i and c
//
// A version is the time of the server in microseconds, or one more than the last if that is later:
// so versions grow even if a server loses the last of its data. Times are those of the server; the
// caller states how long something lasts. Each change forgets a few keys whose entries have
// expired.
//
// Values only.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace patchbay::store {

enum class RedisScript : std::uint8_t { put, erase, scan, changes, add, advance };
inline constexpr std::size_t kRedisScripts = 6;

// How long an erased entry is remembered, so that other processes learn of it.
inline constexpr auto kRedisErasedTime = std::chrono::minutes(10);

// KEYS[1] is `prefix:table`. ARGV:
//   put      key, sealed value, expected version or '', milliseconds until it expires or ''
//            → the version, or null: it has another one
//   erase    key
//   scan     after, most → the key to go on after or '', then keys and entries in turn
//   changes  after, most; or '' → the last version, then keys, versions and entries in turn ('' for
//            none)
//   add      key, delta, milliseconds until it expires or '' → the total
//   advance  key, microseconds → how far the point in time is ahead, in microseconds
const std::string& text_of(RedisScript script);

}  // namespace patchbay::store
