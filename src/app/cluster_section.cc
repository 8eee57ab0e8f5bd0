#include "app/cluster_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "config/fields.h"
#include "config/read_value.h"
#include "crypto/keyring.h"
#include "net/io/address.h"

namespace patchbay::app {
namespace {

// More than one is needed only while a key is being replaced.
constexpr std::size_t kMostKeys = 8;

// Other gateways cannot connect to "all addresses".
void check_advertised(const ClusterSection& section, const config::Node* cluster,
                      const std::string& file, config::Faults& faults) {
  if (section.listen.empty() || !section.advertise.empty()) return;
  auto address = net::parse_address(section.listen);
  const std::string text = address ? address->text() : "";
  if (!text.starts_with("0.0.0.0:") && !text.starts_with("[::]:")) return;
  const config::Node* const listen = cluster ? cluster->find("listen") : nullptr;
  config::Location{file, "cluster.advertise", faults}.fault(
      listen ? listen->line : 0,
      "is needed, because `cluster.listen` names no address that other gateways could reach: a "
      "host and a port");
}

void check_listen(const ClusterSection& section, const config::Node* cluster,
                  const std::string& file, config::Faults& faults) {
  if (section.listen.empty() || !section.keys.empty()) return;
  const config::Node* const listen = cluster ? cluster->find("listen") : nullptr;
  config::Location{file, "cluster.listen", faults}.fault(
      listen ? listen->line : 0,
      "needs `cluster.keys`, the same on every gateway: with them the gateways recognise each "
      "other and the sessions of their clients");
}

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
  check_listen(section, cluster, file, faults);
  check_advertised(section, cluster, file, faults);
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
      {"listen", &app::ClusterSection::listen,
       "The address at which other gateways with the same store and keys reach this one: they pass "
       "requests on to the gateway that has a session. Absent: this gateway is alone."},
      {"advertise", &app::ClusterSection::advertise,
       "The address that the others use, if it is not that of `listen`: host and port."},
      {"name", &app::ClusterSection::name,
       "The name of this gateway for people. Absent: the host name."},
      {"lease_timeout", &app::ClusterSection::lease_timeout,
       "A gateway that has not renewed its entry in the store for this time has ended as far as "
       "the others are concerned, and they take its sessions over.",
       Range{Duration(500), Duration(60'000)}},
      {"connect_timeout", &app::ClusterSection::connect_timeout,
       "Maximum time to connect to another gateway.", Range{Duration(10), Duration(60'000)}},
      {"link_timeout", &app::ClusterSection::link_timeout,
       "Another gateway that sends nothing for this time, although it is asked to, counts as gone: "
       "requests that were passed on to it fail.",
       Range{Duration(100), Duration(600'000)}},
      {"max_forwarded", &app::ClusterSection::max_forwarded,
       "Maximum number of requests in progress that one worker passes on to one other gateway.",
       Range{1, 1'000'000}},
      {"max_forward_buffer_size", &app::ClusterSection::max_forward_buffer_size,
       "Maximum size of requests that wait to be sent to one other gateway, per worker.",
       Range{Bytes{1 << 20}, Bytes{std::uint64_t{4} << 30}}},
  });
  return kFields;
}

}  // namespace patchbay
