#include "app/cluster_section.h"

#include <fmt/format.h>

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

}  // namespace

void check_cluster(const ClusterSection& section, const config::Node& root, const std::string& file,
                   config::Faults& faults) {
  const config::Node* const cluster = root.find("cluster");
  if (!section.listen.empty() && section.keys.empty()) {
    const config::Node* const listen = cluster ? cluster->find("listen") : nullptr;
    config::Location{file, "cluster.listen", faults}.fault(
        listen ? listen->line : 0,
        "needs `cluster.keys`, the same on every gateway: with them the gateways recognise each "
        "other and the sessions of their clients");
  }
  check_advertised(section, cluster, file, faults);
  const config::Node* const given = cluster ? cluster->find("keys") : nullptr;
  if (!given) return;
  const config::Location at{file, "cluster.keys", faults};
  if (section.keys.size() > kMostKeys) {
    at.fault(given->line,
             fmt::format("has {} keys; the maximum is {}", section.keys.size(), kMostKeys));
  }
  for (const auto& key : section.keys) {
    if (key.size() >= policy::Keyring::kLeastSecret) continue;
    at.fault(given->line,
             fmt::format("a key has {} bytes and needs {}, as `head -c 32 /dev/urandom | base64` "
                         "prints them",
                         key.size(), policy::Keyring::kLeastSecret));
  }
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
       "folder."},
      {"max_store_queue", &app::ClusterSection::max_store_queue,
       "Maximum number of requests that wait for the store. Beyond it they fail.",
       Range{16, 10'000'000}},
      {"max_store_size", &app::ClusterSection::max_store_size,
       "Maximum size of what is stored. Beyond it nothing is added; what has expired makes room.",
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
