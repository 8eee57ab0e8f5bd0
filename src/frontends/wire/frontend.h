// The frontend for the wire protocol: on TCP with its own listener, and on WebSockets at the path
// of MCP.
//
// See frontends/frontend.h for threads.
#pragma once

#include "frontends/frontend.h"
#include "frontends/wire/host.h"
#include "frontends/wire/tcp.h"

namespace patchbay::frontends {

struct WireFrontendSettings {
  WireSettings wire;
  WireTcpSettings tcp;
  std::size_t rate_keys = 100'000;             // Callers and addresses that are counted separately.
  std::shared_ptr<const net::TlsContext> tls;  // Of the TCP listener; null: plain.
};

class SharedWireFrontend final : public SharedFrontend {
 public:
  SharedWireFrontend(WireFrontendSettings settings, const ProcessServices& services);

  void update(WireFrontendSettings settings);
  std::unique_ptr<Frontend> make(const WorkerServices& worker) override;

  const WireFrontendSettings& settings() const { return settings_; }
  const std::shared_ptr<WireState>& state() const { return state_; }

 private:
  WireFrontendSettings settings_;
  net::HttpCounters& connections_;
  WireShared shared_;
  std::shared_ptr<WireState> state_;
};

}  // namespace patchbay::frontends
