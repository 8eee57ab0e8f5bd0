#include "store/redis/scripts.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace patchbay::store {
namespace {

// What put and erase begin with, and how they end.
constexpr std::string_view kChange = R"(
local base, key = KEYS[1], ARGV[1]
local entry = base .. ':e:' .. key
local function number(n) return string.format('%.0f', n) end
local function next_version()
  local time = redis.call('TIME')
  local now = time[1] * 1000000 + time[2]
  local last = tonumber(redis.call('GET', base .. ':v') or '0')
  local version = number(math.max(last + 1, now))
  redis.call('SET', base .. ':v', version)
  return version, math.floor(now / 1000)
end
local function forget_after(time)
  redis.call('ZADD', base .. ':x', number(time + 1000), key)
end
local function finish(version, now)
  redis.call('ZADD', base .. ':c', version, key)
  local old = redis.call('ZRANGEBYSCORE', base .. ':x', '-inf', number(now), 'LIMIT', 0, 4)
  for _, one in ipairs(old) do
    redis.call('ZREM', base .. ':x', one)
    if redis.call('EXISTS', base .. ':e:' .. one) == 0 then
      redis.call('ZREM', base .. ':i', one)
      redis.call('ZREM', base .. ':c', one)
    end
  end
  redis.call('PUBLISH', base .. ':w', version)
end
local function remove(now)
  redis.call('DEL', entry)
  redis.call('ZREM', base .. ':i', key)
  forget_after(now + erased_time)
end
)";

constexpr std::string_view kPut = R"(
local value, expected, ttl = ARGV[2], ARGV[3], ARGV[4]
if expected ~= '' then
  local found = string.match(redis.call('GETRANGE', entry, 0, 20), '^%d+') or '0'
  if found ~= expected then return false end
end
local version, now = next_version()
if ttl ~= '' and tonumber(ttl) <= 0 then
  remove(now)
else
  if ttl == '' then
    redis.call('SET', entry, version .. ':' .. value)
    redis.call('ZREM', base .. ':x', key)
  else
    redis.call('SET', entry, version .. ':' .. value, 'PX', ttl)
    forget_after(now + tonumber(ttl))
  end
  redis.call('ZADD', base .. ':i', 0, key)
end
finish(version, now)
return version
)";

constexpr std::string_view kErase = R"(
-- First, because a full server allows what makes room, and then the rest of the step.
if redis.call('DEL', entry) == 0 then return 0 end
local version, now = next_version()
remove(now)
finish(version, now)
return 1
)";

constexpr std::string_view kScan = R"(
local base, after, most = KEYS[1], ARGV[1], tonumber(ARGV[2])
local keys = redis.call('ZRANGEBYLEX', base .. ':i', '(' .. after, '+', 'LIMIT', 0, most)
local found = {#keys == most and keys[#keys] or ''}
for _, key in ipairs(keys) do
  local entry = redis.call('GET', base .. ':e:' .. key)
  if entry then
    found[#found + 1] = key
    found[#found + 1] = entry
  else
    redis.call('ZREM', base .. ':i', key)
  end
end
return found
)";

constexpr std::string_view kChanges = R"(
local base, after = KEYS[1], ARGV[1]
local found = {redis.call('GET', base .. ':v') or '0'}
if after == '' then return found end
local list = redis.call('ZRANGEBYSCORE', base .. ':c', '(' .. after, '+inf', 'WITHSCORES',
                        'LIMIT', 0, ARGV[2])
for i = 1, #list, 2 do
  found[#found + 1] = list[i]
  found[#found + 1] = string.format('%.0f', tonumber(list[i + 1]))
  found[#found + 1] = redis.call('GET', base .. ':e:' .. list[i]) or ''
end
return found
)";

constexpr std::string_view kAdd = R"(
local counter, delta, ttl = KEYS[1] .. ':n:' .. ARGV[1], ARGV[2], ARGV[3]
local begins = redis.call('EXISTS', counter) == 0
local total = redis.call('INCRBY', counter, delta)
if begins and ttl ~= '' then
  redis.call('PEXPIRE', counter, string.format('%.0f', math.max(1, tonumber(ttl))))
end
return total
)";

constexpr std::string_view kAdvance = R"(
local point = KEYS[1] .. ':n:' .. ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local at = math.max(tonumber(redis.call('GET', point) or '0'), now) + tonumber(ARGV[2])
local left = string.format('%.0f', math.ceil((at - now) / 1000) + 1)
redis.call('SET', point, string.format('%.0f', at), 'PX', left)
return at - now
)";

std::string change(std::string_view rest) {
  const auto erased = std::chrono::duration_cast<std::chrono::milliseconds>(kRedisErasedTime);
  return fmt::format("local erased_time = {}{}{}", erased.count(), kChange, rest);
}

}  // namespace

const std::string& text_of(RedisScript script) {
  static const std::array<std::string, kRedisScripts> kTexts{
      change(kPut),          change(kErase),    std::string(kScan),
      std::string(kChanges), std::string(kAdd), std::string(kAdvance)};
  return kTexts[static_cast<std::size_t>(script)];
}

}  // namespace patchbay::store
