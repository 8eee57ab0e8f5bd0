#include "cluster/forwarder.h"

#include "cluster/outgoing_link.h"

namespace patchbay::cluster {
namespace {

// The link lives at least as long as its task.
Task<void> serve(std::shared_ptr<OutgoingLink> link) { co_return co_await link->serve(); }

}  // namespace

Forwarder::Forwarder(LinkSettings settings, metrics::Registry& registry)
    : settings_(std::move(settings)) {
  constexpr std::array<std::string_view, kOutcomes> kNames{"answered", "refused", "unsent", "lost"};
  for (std::size_t i = 0; i < kOutcomes; ++i) {
    counters_[i] = registry.counter("patchbay_cluster_forwarded_total",
                                    "Requests passed on to other nodes, by what became of them.",
                                    metrics::labels({{"outcome", kNames[i]}}));
  }
}

Forwarder::~Forwarder() = default;

Task<Forwarded> Forwarder::forward(net::HttpExchange& exchange, const Member& member) {
  auto forwarded = co_await pass_on(exchange, member);
  if (forwarded) counters_[static_cast<std::size_t>(forwarded->outcome)]->add();
  co_return forwarded;
}

Task<Forwarded> Forwarder::pass_on(net::HttpExchange& exchange, const Member& member) {
  if (stopping_) {
    co_return Forwarded{
        Forwarded::Outcome::unsent, 0, {Code::unavailable, "the gateway is stopping"}};
  }
  std::erase_if(links_, [](const auto& entry) { return entry.second->ended(); });
  auto& link = links_[member.run];
  if (!link) {
    link = std::make_shared<OutgoingLink>(member, settings_);
    scope_.spawn(serve(link));
  }
  const std::shared_ptr<OutgoingLink> used = link;
  co_return co_await used->forward(exchange);
}

Task<void> Forwarder::stop() {
  stopping_ = true;
  scope_.cancel();
  co_return co_await scope_.drain(kNever);
}

}  // namespace patchbay::cluster
