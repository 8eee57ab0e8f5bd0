#include "app/worker.h"

#include <algorithm>
#include <ranges>

#include "cluster/link_keys.h"
#include "telemetry/sampling.h"

namespace patchbay::app {
namespace {

constexpr auto kSweep = std::chrono::seconds(1);
constexpr int kMaxTaskUpdates = 1000;  // Pending on one worker.

std::shared_ptr<const net::HttpSettings> http_settings(const Settings& settings) {
  const LimitSettings& limits = settings.limits;
  net::HttpSettings http;
  http.head = {limits.request_line.value, limits.headers.value,
               static_cast<std::size_t>(limits.header_fields), limits.max_header_line_size.value};
  http.body = limits.body.value;
  http.connections = static_cast<std::size_t>(limits.connections);
  http.stream_buffer = limits.stream_buffer.value;
  http.header_time = limits.header_time;
  http.body_time = limits.body_time;
  http.idle_time = limits.idle_time;
  http.write_time = limits.write_time;
  if (settings.tls) {
    http.handshake_time = settings.tls->handshake_time;
    http.handshakes = static_cast<std::size_t>(settings.tls->handshakes);
  }
  http.hosts = settings.http.hosts;
  http.origins = settings.http.origins;
  http.proxies = trusted_proxies(settings.proxies);
  http.proxy_protocol = settings.proxies.precedes(ListenerKey::listen);
  http.tls_proxy_protocol = settings.proxies.precedes(ListenerKey::tls_listen);
  const CorsSection& cors = settings.http.cors;
  http.cors = {cors.origins, cors.headers,
               std::chrono::duration_cast<std::chrono::seconds>(cors.max_age), cors.credentials};
  return std::make_shared<const net::HttpSettings>(std::move(http));
}

cluster::LinkSettings link_settings(const Settings& settings, const policy::Keyring& keys) {
  const ClusterSection& section = settings.cluster;
  if (section.listen.empty()) return {};
  return {.connect_time = section.connect_timeout,
          .silence = section.link_timeout,
          .streams = static_cast<std::size_t>(section.max_forwarded),
          .buffer = section.max_forward_buffer_size.value,
          .tls = net::TlsContext::client_of(cluster::link_keys(keys))};
}

gateway::McpServer::Instructions instructions(const ServerSection& server) {
  return {server.instructions, server.max_instructions_size.value, server.instructions_timeout};
}

gateway::McpServer::Times times(const LimitSettings& limits) {
  return {limits.call, std::max(limits.call, limits.call_total), limits.question, limits.task};
}

// Counts turns of an event loop in a metric.
class TurnMetric final : public net::Loop::TurnObserver {
 public:
  TurnMetric(metrics::Registry& registry, int worker)
      : seconds_(registry.histogram(
            "patchbay_event_loop_lag_seconds", "Duration of the turns of a worker's event loop.",
            metrics::labels({{"worker", std::to_string(worker)}}), metrics::kWait)) {}
  void on_turn(std::chrono::nanoseconds took) override {
    seconds_->observe(std::chrono::duration<double>(took).count());
  }

 private:
  const std::shared_ptr<metrics::Histogram> seconds_;
};

}  // namespace

Worker::Worker(int number, const Settings& settings, Common& common)
    : common_(common),
      loop_(number),
      history_(common.histories.add()),
      spans_(common.spans),
      recorder_(common.registry),
      pipeline_(common.limiter, catalog_, common.approvals, common.subscriptions, common.tasks,
                common.task_tools, common.stored_results, recorder_),
      server_(pipeline_, times(settings.limits)),
      asking_(number, pipeline_, common.asking),
      authenticator_(common.authenticator),
      forwarder_(link_settings(settings, common.keys), common.registry),
      frontends_(make_frontends(number, common)),
      http_(routes(), http_settings(settings), authenticator_, common.http) {
  for (const auto& frontend : frontends_) frontend->use_routes(http_.routes());
  loop_.observe_turns(std::make_unique<TurnMetric>(common.registry, number));
  server_.set_parked(asking_);
  server_.set_instructions(instructions(settings.server));
  authenticator_.record_in(recorder_);
  recorder_.set_log_calls(settings.log.calls);
  recorder_.set_max_names(static_cast<std::size_t>(settings.limits.metric_names));
  catalog_.share(common.restricted);
  catalog_.on_change([this](gateway::CatalogChanges& changes) {
    for (const auto& frontend : frontends_) frontend->catalog_changed(changes);
    for (auto* const frontend : attached_) frontend->catalog_changed(changes);
  });
  catalog_.set_debounce(settings.limits.list_debounce);
  pipeline_.set_page(static_cast<std::size_t>(settings.limits.page));
  pipeline_.set_validation(settings.validation);
  pipeline_.set_rates(common.rates);
  server_.set_max_batch(static_cast<std::size_t>(settings.limits.batch));
  recorder_.set_audit(common.audit);
  recorder_.set_tracing(tracing(settings));
  pipeline_.set_budgets(settings.limits.results);
}

Worker::~Worker() = default;

std::vector<std::unique_ptr<frontends::Frontend>> Worker::make_frontends(int number,
                                                                         Common& common) {
  const frontends::WorkerServices services{number,    loop_,          server_,   catalog_,
                                           recorder_, authenticator_, forwarder_};
  std::vector<std::unique_ptr<frontends::Frontend>> made;
  for (const auto& shared : common.frontends) made.push_back(shared->make(services));
  return made;
}

// A row without a handler is an upgrade of a path that another frontend serves.
std::vector<net::HttpRoute> Worker::routes() const {
  std::vector<net::HttpRoute> all;
  std::vector<net::HttpRoute> upgrades;
  for (const auto& frontend : frontends_) {
    for (const auto& route : frontend->routes()) {
      (route.handler ? all : upgrades).push_back(route);
    }
  }
  for (const auto& upgrade : upgrades) {
    for (auto& route : all) {
      if (route.path == upgrade.path) route.upgrade = upgrade.upgrade;
    }
  }
  return all;
}

gateway::Tracing Worker::tracing(const Settings& settings) const {
  const telemetry::Settings& telemetry = settings.telemetry;
  const bool has_content = telemetry.traces.content == telemetry::Content::full;
  return {.history = telemetry.max_recent_calls > 0 ? &history_ : nullptr,
          .queue = &spans_,
          .sampling = telemetry::sampling_of(telemetry),
          .content = has_content ? telemetry.traces.max_content_size.value : 0,
          .redact = settings.audit.redact};
}

void Worker::run() {
  thread_ = std::thread([this] { loop_.run(); });
}

void Worker::join() {
  loop_.quit();
  if (thread_.joinable()) thread_.join();
}

void Worker::listen(net::Fd listener) {
  http_.start(std::move(listener));
  if (background_.empty()) background_.spawn(sweep());
}

void Worker::listen_local(net::Fd listener) {
  http_.start_local(std::move(listener));
  background_.spawn(sweep());
}

void Worker::listen_tls(net::Fd listener, std::shared_ptr<const net::TlsContext> context) {
  http_.start(std::move(listener), std::move(context));
}

void Worker::update(const Settings& settings) {
  http_.update(http_settings(settings));
  forwarder_.update(link_settings(settings, common_.keys));
  server_.set_times(times(settings.limits));
  server_.set_instructions(instructions(settings.server));
  catalog_.set_debounce(settings.limits.list_debounce);
  pipeline_.set_page(static_cast<std::size_t>(settings.limits.page));
  pipeline_.set_validation(settings.validation);
  pipeline_.set_rates(common_.rates);
  server_.set_max_batch(static_cast<std::size_t>(settings.limits.batch));
  recorder_.set_audit(common_.audit);
  recorder_.set_tracing(tracing(settings));
  pipeline_.set_budgets(settings.limits.results);
  for (const auto& frontend : frontends_) frontend->update();
  recorder_.set_log_calls(settings.log.calls);
  recorder_.set_max_names(static_cast<std::size_t>(settings.limits.metric_names));
}

void Worker::notify_updated(const std::string& upstream, const std::string& uri) {
  {
    const std::lock_guard lock(updates_mutex_);
    if (!updates_.emplace(upstream, uri).second) return;
  }
  loop_.post([this, upstream, uri] { pass_on_update(upstream, uri); });
}

void Worker::pass_on_update(const std::string& upstream, const std::string& uri) {
  {
    const std::lock_guard lock(updates_mutex_);
    updates_.erase({upstream, uri});
  }
  auto update = catalog_.update_of(upstream, uri);
  for (const auto& frontend : frontends_) frontend->resource_updated(update);
  for (auto* const frontend : attached_) frontend->resource_updated(update);
}

void Worker::notify_task(const std::string& upstream, const gateway::TaskUpdate& update) {
  if (task_updates_.fetch_add(1) >= kMaxTaskUpdates) {
    task_updates_.fetch_sub(1);
    return;
  }
  loop_.post([this, upstream, update] {
    task_updates_.fetch_sub(1);
    for (const auto& frontend : frontends_) frontend->task_changed(upstream, update);
    for (auto* const frontend : attached_) frontend->task_changed(upstream, update);
  });
}

Task<void> Worker::sweep() {
  for (;;) {
    auto slept = co_await sleep_until(here().now() + kSweep);
    if (!slept) co_return slept;
    for (const auto& frontend : frontends_) frontend->sweep();
    recorder_.rank_names(here().now());
  }
}

Task<void> Worker::hand_over(Deadline deadline) {
  for (const auto& frontend : frontends_) frontend->stop_accepting();
  co_return co_await http_.hand_over(deadline);
}

void Worker::close() {
  http_.close();
  for (const auto& frontend : frontends_) frontend->close();
}

Task<void> Worker::stop(Deadline deadline) {
  auto stopped = co_await http_.stop(deadline);
  if (!stopped) co_return stopped;
  for (const auto& frontend : std::views::reverse(frontends_)) {
    stopped = co_await frontend->stop(deadline);
    if (!stopped) co_return stopped;
  }
  stopped = co_await forwarder_.stop();
  if (!stopped) co_return stopped;
  stopped = co_await asking_.stop();
  if (!stopped) co_return stopped;
  background_.cancel();
  co_return co_await background_.drain(kNever);
}

}  // namespace patchbay::app
