#include "app/cluster_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "config/fields.h"
#include "config/read_value.h"
#include "crypto/keyring.h"

namespace patchbay::app {
namespace {

// More than one is needed only while a key is being replaced.
constexpr std::size_t kMostKeys = 8;

void check_keys(const std::vector<std::string>& keys, const config::Node& given,
                const config::Location& at) {
  if (keys.size() > kMostKeys) {
    at.fault(given.line, fmt::format("has {} keys; the maximum is {}", keys.size(), kMostKeys));
  }
  for (const auto& key : keys) {
    if (key.size() >= policy::Keyring::kLeastSecret) continue;
    at.fault(given.line,
             fmt::format("a key has {} bytes and needs {}, as `head -c 32 /dev/urandom | base64` "
                         "prints them",
                         key.size(), policy::Keyring::kLeastSecret));
  }
}

// Names of keys on the server: without what separates them, or could be a pattern.
bool is_prefix(std::string_view text) {
  constexpr std::size_t kMostBytes = 64;
  return !text.empty() && text.size() <= kMostBytes && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == ':';
  });
}

void check_redis(const ClusterSection& section, const config::Node& cluster,
                 const std::string& file, config::Faults& faults) {
  const config::Node* const redis = cluster.find("redis");
  const auto fault = [&](std::string_view key, const config::Node* node, std::string why) {
    const config::Node& at = node ? *node : cluster;
    faults.push_back({file, at.line, fmt::format("cluster.{}", key), std::move(why)});
  };
  if (section.store != StoreKind::redis) {
    if (redis) fault("redis", redis, "has no effect without `store: redis`");
    return;
  }
  const config::Node* const url = redis ? redis->find("url") : nullptr;
  if (section.redis.url.empty()) {
    fault("redis.url", redis, "is missing; `store: redis` needs redis://host:port of the server");
  } else if (const auto address = store::parse_redis_address(section.redis.url); !address) {
    fault("redis.url", url, address.error().message);
  } else if (!address->server.tls && redis->find("tls")) {
    fault("redis.tls", redis->find("tls"), "has no effect: `url` does not begin with rediss://");
  }
  if (!is_prefix(section.redis.prefix)) {
    fault("redis.prefix", redis ? redis->find("prefix") : nullptr,
          "needs 1 to 64 letters, digits and `-_.:`");
  }
  if (section.keys.empty()) {
    fault("keys", cluster.find("store"),
          "is missing; gateways with one store need the same keys, because each opens what others "
          "have sealed");
  }
}

}  // namespace

void check_cluster(const ClusterSection& section, const config::Node& root, const std::string& file,
                   config::Faults& faults) {
  const config::Node* const cluster = root.find("cluster");
  if (!cluster) return;
  if (const config::Node* const given = cluster->find("keys")) {
    check_keys(section.keys, *given, {file, "cluster.keys", faults});
  }
  check_redis(section, *cluster, file, faults);
}

}  // namespace patchbay::app

namespace patchbay {

template <>
const config::Fields& config::fields<app::ClusterSection>() {
  static const Fields kFields = fields_of<app::ClusterSection>({
      {"keys", &app::ClusterSection::keys,
       "Secrets of at least 32 bytes that protect what clients hold: ids of sessions and tasks, "
       "states of parked calls. The first one seals, all of them open, so that a key can be "
       "replaced without interrupting clients. Absent: `sign_in.key`, or a key file in the `state` "
       "folder."},
      {"store", &app::ClusterSection::store,
       "Where state is stored that outlives the process: embedded, in a file of the `state` "
       "folder; redis, on a Valkey or Redis server that all gateways share."},
      {"redis", &app::ClusterSection::redis, "The server of `store: redis`."},
      {"rates_interval", &app::ClusterSection::rates_interval,
       "How long calls wait at most until other gateways with the same store count them for "
       "`limits.rates`.",
       Range{Duration(10), Duration(10'000)}},
      {"max_store_queue", &app::ClusterSection::max_store_queue,
       "Maximum number of requests that wait for the store. Beyond it they fail.",
       Range{16, 10'000'000}},
      {"max_store_size", &app::ClusterSection::max_store_size,
       "Maximum size of what is stored in the file. Beyond it nothing is added; what has expired "
       "makes room. The limit of a server is its own, maxmemory.",
       Range{Bytes{1 << 20}, Bytes{std::uint64_t{1} << 40}}},
  });
  return kFields;
}

}  // namespace patchbay
