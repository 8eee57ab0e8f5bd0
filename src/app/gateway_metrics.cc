// The metrics that a gateway reads from its components when /metrics is requested. Events on the
// path of a call are counted by the components themselves.
#include <chrono>

#include "app/gateway.h"
#include "core/shares.h"
#include "core/version.h"
#include "observe/log.h"
#include "observe/memory.h"
#include "observe/process_metrics.h"

namespace patchbay::app {
namespace {

using metrics::Reading;
using metrics::Registry;

double bytes_of_history(const trace::CallHistories& histories) {
  std::size_t bytes = 0;
  for (const auto& one : histories.all()) bytes += one->bytes();
  return static_cast<double>(bytes);
}

void watch_memory(Registry& registry, const Common& common) {
  registry.watch_gauge("patchbay_memory_allocated_bytes",
                       "Allocated memory; limits.max_memory is its limit.",
                       [] { return static_cast<double>(memory::in_use()); });
  registry.watch_gauge("patchbay_memory_limit_bytes", "The limit in force (limits.max_memory).",
                       [] { return static_cast<double>(memory::most()); });
  const auto watch_owner = [&registry](std::string_view owner, std::function<double()> read) {
    registry.watch_gauge("patchbay_memory_bytes", "Memory by owner.", std::move(read),
                         metrics::labels({{"owner", owner}}));
  };
  watch_owner("stored_results",
              [&common] { return static_cast<double>(common.stored_results.bytes()); });
  watch_owner("call_history", [&common] { return bytes_of_history(common.histories); });
  watch_owner("telemetry_queue", [&common] { return static_cast<double>(common.spans.bytes()); });
}

void watch_audit(Registry& registry, const policy::AuditCounts& counts) {
  registry.watch_gauge("patchbay_audit_queued_records", "Audit records that wait to be written.",
                       [&counts] { return static_cast<double>(counts.queued.load()); });
  registry.watch_counter("patchbay_audit_written_records_total", "Audit records written.",
                         [&counts] { return static_cast<double>(counts.written.load()); });
  registry.watch_counter("patchbay_audit_dropped_records_total",
                         "Audit records that could not be queued or written.",
                         [&counts] { return static_cast<double>(counts.dropped.load()); });
}

void watch_store(Registry& registry, store::Store& store) {
  if (store.status().bytes) {
    registry.watch_gauge(
        "patchbay_store_bytes", "Size of what is stored (cluster.max_store_size).",
        [&store] { return static_cast<double>(store.status().bytes.value_or(0)); });
  }
  registry.watch_gauge("patchbay_store_queued_requests", "Requests that wait for the store.",
                       [&store] { return static_cast<double>(store.status().queued); });
  registry.watch_gauge("patchbay_store_connected", "1 if the store can be used.",
                       [&store] { return store.status().connected ? 1.0 : 0.0; });
  registry.watch_counter("patchbay_store_failures_total", "Requests of the store that failed.",
                         [&store] { return static_cast<double>(store.status().failures); });
}

void watch_shares(Registry& registry) {
  registry.watch_gauge("patchbay_streams", "Event streams to clients that are open.",
                       [] { return static_cast<double>(shares().open(ShareOf::streams)); });
  registry.watch_gauge("patchbay_parked_calls", "Calls that wait for answers of their clients.",
                       [] { return static_cast<double>(shares().open(ShareOf::parked_calls)); });
}

// One value for each upstream; none for an upstream that has no value.
using ReadUse = std::optional<std::int64_t> (*)(const UpstreamReport& report);
void watch_each(Registry& registry, const UpstreamSet& upstreams, const std::string& name,
                const std::string& help, ReadUse read) {
  registry.watch_gauges(name, help, [&upstreams, read] {
    std::vector<Reading> readings;
    for (const auto& report : upstreams.report()) {
      const auto value = read(report);
      if (!value) continue;
      readings.push_back(
          {metrics::labels({{"upstream", report.name}}), static_cast<double>(*value)});
    }
    return readings;
  });
}

std::vector<Reading> instance_readings(const UpstreamSet& upstreams) {
  std::vector<Reading> readings;
  for (const auto& report : upstreams.report()) {
    const auto add = [&](std::string_view state, int count) {
      readings.push_back({metrics::labels({{"upstream", report.name}, {"state", state}}),
                          static_cast<double>(count)});
    };
    const auto& use = report.use;
    if (use.instances_up + use.instances_down == 0) continue;
    add("up", use.instances_up);
    add("down", use.instances_down);
    add("private", use.private_instances);
  }
  return readings;
}

}  // namespace

void Gateway::watch_metrics() {
  auto& registry = common_.registry;
  metrics::watch_process(registry);
  watch_memory(registry, common_);
  watch_audit(registry, *common_.audit_counts);
  watch_shares(registry);
  watch_store(registry, state_->store());
  common_.approvals.count_in(registry);
  note_configuration_time();
  registry
      .gauge("patchbay_build_info", "1; the label is the running version.",
             metrics::labels({{"version", kVersion}}))
      ->set(1);
  registry.watch_gauge(
      "patchbay_cluster_members", "Gateways that act as one, this one included.",
      [this] { return static_cast<double>(common_.members.list()->all().size()); });
  registry.watch_gauge("patchbay_calls_in_flight", "Calls that are running now.",
                       [this] { return static_cast<double>(common_.limiter.running()); });
  registry.watch_gauge("patchbay_reloads_refused",
                       "Reasons why a change of the configuration or of credentials is not used.",
                       [this] { return static_cast<double>(refusals_.all().size()); });
  registry.watch_counter("patchbay_log_lines_dropped_total",
                         "Log lines dropped because nobody read them.",
                         [] { return static_cast<double>(log::dropped_lines()); });
}

void Gateway::watch_upstreams() {
  auto& registry = common_.registry;
  const UpstreamSet& upstreams = *upstreams_;
  watch_each(registry, upstreams, "patchbay_upstream_up", "1 if the upstream can answer calls.",
             [](const auto& report) { return std::optional<std::int64_t>(report.state.up); });
  watch_each(registry, upstreams, "patchbay_bus_unsent_records",
             "Records that wait to be sent to the bus of an upstream.",
             [](const auto& report) { return report.use.unsent_records; });
  watch_each(registry, upstreams, "patchbay_bus_unread_records",
             "Records on the bus of an upstream that have not been read.",
             [](const auto& report) { return report.use.unread_records; });
  registry.watch_gauges("patchbay_upstream_instances",
                        "Programs or connections of an upstream, by state.",
                        [&upstreams] { return instance_readings(upstreams); });
}

void Gateway::count_reload(bool applied) {
  constexpr auto kHelp = "Changes of the configuration by outcome.";
  auto& registry = common_.registry;
  const auto counter = [&](std::string_view outcome) {
    return registry.counter("patchbay_reloads_total", kHelp,
                            metrics::labels({{"outcome", outcome}}));
  };
  counter(applied ? "applied" : "refused")->add();
  if (applied) note_configuration_time();
}

void Gateway::note_configuration_time() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  common_.registry
      .gauge("patchbay_last_reload_success_timestamp_seconds",
             "When the configuration in use was read, since 1970.")
      ->set(std::chrono::duration_cast<std::chrono::seconds>(now).count());
}

}  // namespace patchbay::app
