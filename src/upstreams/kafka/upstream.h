// A KafkaUpstream is a bus with agents: each registered agent is a tool or a resource, and each
// configured topic is both. A call is made on the caller's worker; everything else happens on the
// upstream's owner worker.
//
// answer() and state() on any worker; start() and stop() on the control thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "async/gate.h"
#include "bus/embedded_bus.h"
#include "gateway/bus_view.h"
#include "gateway/call/upstream.h"
#include "gateway/registrar.h"
#include "observe/metrics.h"
#include "upstreams/kafka/client.h"
#include "upstreams/kafka/coordinator.h"
#include "upstreams/kafka/plan.h"

namespace patchbay::upstreams {

class KafkaUpstream final : public gateway::Upstream,
                            public gateway::Registrar,
                            public gateway::BusView,
                            KafkaCoordinator::Events {
 public:
  // `embedded` is the bus if the plan uses it, else null. REQUIRES: workers, watcher and registry
  // outlive the upstream.
  KafkaUpstream(KafkaPlan plan, std::shared_ptr<bus::EmbeddedBus> embedded,
                const std::vector<net::Loop*>& workers, gateway::UpstreamWatcher& watcher,
                metrics::Registry& registry);
  ~KafkaUpstream() override;

  std::string_view name() const override { return plan_.name; }
  std::string_view kind() const override { return "kafka"; }
  gateway::UpstreamTimeout call_timeout() const override {
    const auto& settings = plan_.settings;
    return {settings.lookup_time + std::chrono::milliseconds(settings.response_timeout_ms),
            "response_timeout_ms"};
  }
  Task<void> start() override;
  Task<mcp::Reply> answer(const gateway::Call& call, std::string_view target) override;
  gateway::UpstreamState state() const override;
  gateway::UpstreamUse use() const override;
  std::shared_ptr<const gateway::LeftOut> left_out() const override;
  Task<void> stop(Deadline deadline) override;

  std::string_view registrar_name() const override { return plan_.name; }
  Task<std::vector<std::string>> registrations() override;
  Task<std::string> put_registration(std::string registration, Deadline deadline) override;
  Task<void> remove_registration(std::string name, Deadline deadline) override;

  Task<gateway::BusReport> bus_report() override;
  Task<std::vector<std::string>> last_records(std::string topic, std::size_t count,
                                              Deadline deadline) override;
  Task<gateway::BusLag> bus_lag() override;

 private:
  void on_offers(std::shared_ptr<const KafkaOffers> offers, mcp::ItemLists items) override;
  void on_updated(const std::string& uri) override { watcher_.updated(*this, uri); }
  void on_state(bool up, const std::string& detail) override;
  void on_left_out(gateway::LeftOut left_out) override;

  KafkaClient* client_here();
  std::vector<gateway::BusTopic> topics_here() const;
  Task<std::vector<std::string>> records_here(const std::string& topic, std::size_t count,
                                              Deadline deadline);
  Task<gateway::BusLag> lag_here();
  Task<gateway::BusLag> look_up_lag();
  Task<mcp::Reply> call_tool(KafkaClient& client, const gateway::Call& call, std::string_view name);
  Task<mcp::Reply> answer_other(KafkaClient* client, const gateway::Call& call,
                                std::string_view target);
  Task<mcp::Reply> produce(KafkaClient& client, const gateway::Call& call,
                           std::shared_ptr<const TopicOffer> offer);
  Task<mcp::Reply> read(KafkaClient& client, const gateway::Call& call, std::string uri);
  Task<mcp::Reply> subscribe(KafkaClient& client, std::string uri);
  bool is_topic(std::string_view uri) const;
  Task<void> write_registration(std::string name, std::optional<bus::Registration> registration,
                                Deadline deadline);

  const KafkaPlan plan_;
  const std::shared_ptr<bus::EmbeddedBus> embedded_;
  gateway::UpstreamWatcher& watcher_;
  std::vector<std::unique_ptr<KafkaClient>> clients_;  // Each touched on its worker only.
  KafkaCoordinator coordinator_;
  KafkaShared shared_;

  // Owner worker only: the lag that was looked up last, for all who want to know it at once.
  Gate looking_up_;
  Result<gateway::BusLag> lag_;
  Deadline lag_until_{};

  // Guarded: set by the owner worker, read by any.
  mutable std::mutex mutex_;
  gateway::UpstreamState state_{false, "starting"};
  std::shared_ptr<const gateway::LeftOut> left_out_;
  bool stopped_ = false;
};

}  // namespace patchbay::upstreams
