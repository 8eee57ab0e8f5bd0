#include "frontends/wire/host.h"

#include "core/release.h"
#include "frontends/wire/session.h"

namespace patchbay::frontends {
namespace {

std::vector<policy::RateSettings> rows(const WireRate& rate, policy::Per per) {
  if (!rate.enabled) return {};
  return {{.per = per, .calls = rate.default_limit, .window = rate.window}};
}

}  // namespace

WireTerms::WireTerms(const WireSettings& said, std::size_t rate_keys)
    : settings(said),
      by_caller(rows(said.rate_limiting, policy::Per::principal), rate_keys),
      by_address(rows(said.rate_limiting, policy::Per::address), rate_keys) {}

WireShared::WireShared(metrics::Registry& registry)
    : messages(registry.counter("patchbay_wire_messages_total",
                                "Messages of the wire protocol that clients have sent.")),
      faults(registry.counter("patchbay_wire_faults_total",
                              "Messages of the wire protocol that were refused.")),
      large(registry.counter("patchbay_wire_large_messages_total",
                             "Messages of the wire protocol above the recommended 1 MiB.")),
      sessions(registry.gauge("patchbay_wire_sessions", "Clients that speak the wire protocol.")) {}

std::string& WireHost::scratch() {
  constexpr std::size_t kKeep = 64 * 1024;
  release_beyond(scratch_, kKeep);
  return scratch_;
}

void WireHost::add(WireSession& session) {
  sessions_.insert(&session);
  shared_.sessions->add(1);
}

void WireHost::remove(WireSession& session) {
  sessions_.erase(&session);
  shared_.sessions->add(-1);
}

void WireHost::tell_changed(gateway::CatalogNews& news) {
  for (auto* const session : sessions_) session->tell_changed(news);
}

void WireHost::tell_updated(gateway::ResourceNews& news) {
  for (auto* const session : sessions_) session->tell_updated(news);
}

void WireHost::tell_task(const std::string& upstream, const gateway::TaskNews& news) {
  for (auto* const session : sessions_) session->tell_task(upstream, news);
}

}  // namespace patchbay::frontends
