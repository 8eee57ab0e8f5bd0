#include "app/cluster_section.h"

#include <fmt/format.h>

#include "config/fields.h"
#include "config/read_value.h"
#include "crypto/keyring.h"

namespace patchbay::app {
namespace {

// More than one is needed only while a key is being replaced.
constexpr std::size_t kMostKeys = 8;

}  // namespace

void check_cluster(const ClusterSection& section, const config::Node& root, const std::string& file,
                   config::Faults& faults) {
  const config::Node* const given =
      root.find("cluster") ? root.find("cluster")->find("keys") : nullptr;
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
  });
  return kFields;
}

}  // namespace patchbay
