#include "frontends/wire/host.h"

#include "core/release.h"

namespace patchbay::frontends {
namespace {

std::vector<policy::RateSettings> rows(const WireRate& rate) {
  if (!rate.enabled) return {};
  return {{.per = policy::Per::principal, .calls = rate.default_limit, .window = rate.window}};
}

}  // namespace

WireState::WireState(const WireSettings& given, std::size_t rate_keys)
    : settings(given), rates(rows(given.rate_limiting), rate_keys) {}

WireShared::WireShared(metrics::Registry& registry)
    : messages(registry.counter("patchbay_wire_messages_total",
                                "Messages of the wire protocol that clients have sent.")),
      faults(registry.counter("patchbay_wire_faults_total",
                              "Messages of the wire protocol that were refused.")),
      large(registry.counter("patchbay_wire_large_messages_total",
                             "Messages of the wire protocol above the recommended 1 MiB.")),
      sessions(registry.gauge("patchbay_wire_sessions", "Clients that speak the wire protocol.")),
      websockets(registry.gauge("patchbay_websockets", "WebSockets that are open.")) {}

std::string& WireHost::scratch() {
  constexpr std::size_t kKeep = 64 * 1024;
  release_beyond(scratch_, kKeep);
  return scratch_;
}

void WireHost::add(Session& session) {
  sessions_.insert(&session);
  shared_.sessions->add(1);
}

void WireHost::remove(Session& session) {
  sessions_.erase(&session);
  shared_.sessions->add(-1);
}

void WireHost::notify_changed(gateway::CatalogChanges& update) {
  for (auto* const session : sessions_) session->notify_changed(update);
}

void WireHost::notify_updated(gateway::ResourceUpdate& update) {
  for (auto* const session : sessions_) session->notify_updated(update);
}

void WireHost::notify_task(const std::string& upstream, const gateway::TaskUpdate& update) {
  for (auto* const session : sessions_) session->notify_task(upstream, update);
}

}  // namespace patchbay::frontends
