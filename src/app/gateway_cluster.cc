// How a gateway takes part in a cluster.
#include <unistd.h>

#include <algorithm>
#include <array>

#include "app/gateway.h"

namespace patchbay::app {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

}  // namespace

// The other nodes reach it at the address of its listener, unless the settings name another one.
Task<void> Gateway::join_cluster() {
  const ClusterSection& section = configuration_.settings.cluster;
  const auto listening =
      std::ranges::find(frontend_listeners_, "cluster.listen",
                        [](const FrontendListening& one) { return one.listener.address_key; });
  if (listening == frontend_listeners_.end()) co_return ok();
  const std::string bound = listening->listening.address.text();
  co_return co_await common_.members.join(
      {.name = section.name.empty() ? host_name() : section.name,
       .address = section.advertise.empty() ? bound : section.advertise,
       .lease = section.lease_timeout});
}

}  // namespace patchbay::app
