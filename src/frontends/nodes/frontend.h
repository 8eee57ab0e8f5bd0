// The frontend for the other nodes of a cluster: it accepts their links, over TLS with the keys of
// the cluster.
//
// See frontends/frontend.h for threads.
#pragma once

#include "cluster/incoming_link.h"
#include "frontends/frontend.h"

namespace patchbay::frontends {

struct NodesSettings {
  cluster::IncomingSettings links;
  std::chrono::nanoseconds handshake_time = std::chrono::seconds(5);
  std::size_t handshakes = 256;    // In progress on one worker.
  std::size_t connections = 4096;  // Of one worker.
};

class SharedNodesFrontend final : public SharedFrontend {
 public:
  SharedNodesFrontend(const NodesSettings& settings, const ProcessServices& services);

  void update(const NodesSettings& settings);
  std::unique_ptr<Frontend> make(const WorkerServices& worker) override;

  const NodesSettings& settings() const { return settings_; }
  const std::shared_ptr<const net::TlsContext>& tls() const { return tls_; }

 private:
  const policy::Keyring& keys_;
  const cluster::Members& members_;
  net::HttpCounters& counters_;
  NodesSettings settings_;
  std::shared_ptr<const net::TlsContext> tls_;
};

}  // namespace patchbay::frontends
