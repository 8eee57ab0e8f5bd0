#include "app/worker.h"

#include "app/registry.h"

namespace patchbay::app {
namespace {

constexpr auto kSweep = std::chrono::seconds(1);
constexpr int kMaxTaskUpdates = 1000;  // That wait for the worker.

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
  const CorsSection& cors = settings.http.cors;
  http.cors = {cors.origins, cors.headers,
               std::chrono::duration_cast<std::chrono::seconds>(cors.max_age), cors.credentials};
  return std::make_shared<const net::HttpSettings>(std::move(http));
}

frontends::McpHttpSettings mcp_settings(const LimitSettings& limits) {
  return {limits.stream_after,
          limits.stream_keep_alive,
          static_cast<std::size_t>(limits.batch),
          {limits.replay.value, limits.replay_total.value, limits.replay_time}};
}

gateway::McpServer::Times times(const LimitSettings& limits) {
  return {limits.call, limits.question, limits.task};
}

std::shared_ptr<const frontends::SkillTable> goal_book(const Settings& settings) {
  return std::make_shared<const frontends::SkillTable>(skills(), settings.goals);
}

frontends::WireTcpSettings wire_settings(const Settings& settings) {
  frontends::WireTcpSettings wire;
  wire.connections = static_cast<std::size_t>(settings.limits.connections);
  wire.write_time = settings.limits.write_time;
  wire.grace = settings.stop.grace;
  if (settings.wire && settings.wire->tls) {
    wire.handshake_time = settings.wire->tls->handshake_time;
    wire.handshakes = static_cast<std::size_t>(settings.wire->tls->handshakes);
  }
  return wire;
}

frontends::RestStreaming rest_streaming(const LimitSettings& limits) {
  return {limits.stream_after, limits.stream_keep_alive};
}

}  // namespace

Worker::Worker(int number, const Settings& settings, Common& common)
    : common_(common),
      loop_(number),
      recorder_(common.registry),
      pipeline_(common.limiter, catalog_, common.approvals, common.subscriptions, common.tasks,
                common.task_tools, common.stored_results, recorder_),
      server_(pipeline_, times(settings.limits)),
      asking_(number, server_, common.asking),
      mcp_http_(number, server_, common.mcp_http, mcp_settings(settings.limits)),
      mcp_sse_(number, server_, common.mcp_sse, settings.limits.stream_keep_alive),
      goals_({server_, catalog_, common.operations}, goal_book(settings)),
      rest_(server_, catalog_, common.operations, settings.rest, rest_streaming(settings.limits)),
      openapi_(server_, catalog_, common.documents, settings.rest),
      swagger_ui_(settings.rest),
      health_(common.operations),
      readiness_(common.operations),
      metrics_page_(common.registry),
      resource_page_(settings.auth),
      approvals_page_(common.approvals, catalog_, recorder_),
      registrations_page_(common.registrars, catalog_, recorder_),
      sign_in_pages_(*common.tokens, authenticator_, catalog_),
      sign_ins_control_(*common.tokens, catalog_),
      authenticator_(common.authenticator),
      wire_(server_, catalog_, authenticator_, common.wire, common.wire_terms),
      wire_tcp_(wire_, common.http, wire_settings(settings)),
      wire_ws_(wire_, settings.limits.write_time),
      http_({{"/mcp", "POST, GET, DELETE", &mcp_http_, false, &wire_ws_},
             {"/sse", "GET", &mcp_sse_.stream()},
             {"/message", "POST", &mcp_sse_.message()},
             {"/mcp/message", "POST", &mcp_sse_.message()},
             {"/api/agent/execute", "POST", &goals_.execute()},
             {"/api/agent/skills", "GET, HEAD", &goals_.skills()},
             {"/mcp/v1/*", "*", &rest_},
             {"/gateway/*", "*", &rest_},
             {"/api/*", "*", &rest_},
             {"/rcs/*", "*", &rest_},
             {"/agents", "*", &rest_},
             {"/agents/*", "*", &rest_},
             {"/v3/api-docs", "GET, HEAD", &openapi_},
             {"/openapi.json", "GET, HEAD", &openapi_},
             {"/openapi.yaml", "GET, HEAD", &openapi_},
             {"/swagger-ui", "GET, HEAD", &swagger_ui_},
             {"/swagger-ui/*", "GET, HEAD", &swagger_ui_},
             {frontends::kMetadataPath, "GET, HEAD", &resource_page_, true},
             {"/.well-known/oauth-protected-resource/*", "GET, HEAD", &resource_page_, true},
             {"/health", "GET, HEAD", &health_, true},
             {"/ready", "GET, HEAD", &readiness_, true},
             {"/metrics", "GET, HEAD", &metrics_page_},
             {"/oauth/*", "GET, HEAD, POST", &sign_in_pages_, true},
             {"/control/sign-ins/*", "GET, HEAD, POST, DELETE", &sign_ins_control_},
             {"/control/approvals", "GET, HEAD", &approvals_page_},
             {"/control/approvals/*", "GET, HEAD, POST, DELETE", &approvals_page_},
             {"/control/registrations", "GET, HEAD, POST, PATCH", &registrations_page_},
             {"/control/registrations/*", "GET, HEAD, PATCH, DELETE", &registrations_page_},
             {"/control/registration/*", "GET, HEAD, PATCH, DELETE", &registrations_page_}},
            http_settings(settings), authenticator_, common.http) {
  server_.set_parked(asking_);
  authenticator_.record_in(recorder_);
  recorder_.set_log_calls(settings.log.calls);
  catalog_.share(common.restricted);
  catalog_.on_change([this](gateway::CatalogChanges& update) {
    mcp_http_.notify_changed(update);
    mcp_sse_.notify_changed(update);
    wire_.notify_changed(update);
    wire_ws_.notify_changed(update);
  });
  catalog_.set_debounce(settings.limits.list_debounce);
  pipeline_.set_page(static_cast<std::size_t>(settings.limits.page));
  pipeline_.set_validation(settings.validation);
  pipeline_.set_rates(common.rates);
  recorder_.set_audit(common.audit);
  pipeline_.set_budgets(settings.limits.results);
}

Worker::~Worker() = default;

void Worker::run() {
  thread_ = std::thread([this] { loop_.run(); });
}

void Worker::join() {
  loop_.quit();
  if (thread_.joinable()) thread_.join();
}

void Worker::listen(net::Fd listener) {
  http_.start(std::move(listener));
  background_.spawn(sweep());
}

void Worker::listen_tls(net::Fd listener, std::shared_ptr<const net::TlsContext> context) {
  http_.start(std::move(listener), std::move(context));
}

void Worker::update(const Settings& settings) {
  http_.update(http_settings(settings));
  server_.set_times(times(settings.limits));
  catalog_.set_debounce(settings.limits.list_debounce);
  pipeline_.set_page(static_cast<std::size_t>(settings.limits.page));
  pipeline_.set_validation(settings.validation);
  pipeline_.set_rates(common_.rates);
  recorder_.set_audit(common_.audit);
  pipeline_.set_budgets(settings.limits.results);
  mcp_http_.update(mcp_settings(settings.limits));
  mcp_sse_.set_keep_alive(settings.limits.stream_keep_alive);
  wire_.update(common_.wire_terms);
  wire_tcp_.update(wire_settings(settings));
  wire_ws_.set_write_time(settings.limits.write_time);
  goals_.update(goal_book(settings));
  rest_.update(settings.rest, rest_streaming(settings.limits));
  openapi_.update(settings.rest);
  swagger_ui_.update(settings.rest);
  resource_page_.update(settings.auth);
  recorder_.set_log_calls(settings.log.calls);
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
  mcp_http_.notify_updated(update);
  mcp_sse_.notify_updated(update);
  wire_.notify_updated(update);
  wire_ws_.notify_updated(update);
  if (notify_more_) notify_more_(update);
}

void Worker::notify_task(const std::string& upstream, const gateway::TaskUpdate& update) {
  if (task_updates_.fetch_add(1) >= kMaxTaskUpdates) {
    task_updates_.fetch_sub(1);
    return;
  }
  loop_.post([this, upstream, update] {
    task_updates_.fetch_sub(1);
    mcp_http_.notify_task(upstream, update);
    mcp_sse_.notify_task(upstream, update);
    wire_.notify_task(upstream, update);
    wire_ws_.notify_task(upstream, update);
    if (notify_more_of_task_) notify_more_of_task_(upstream, update);
  });
}

Task<void> Worker::sweep() {
  for (;;) {
    auto slept = co_await sleep_until(here().now() + kSweep);
    if (!slept) co_return slept;
    mcp_http_.sweep();
  }
}

Task<void> Worker::stop(Deadline deadline) {
  auto stopped = co_await http_.stop(deadline);
  if (!stopped) co_return stopped;
  stopped = co_await wire_tcp_.stop(deadline);
  if (!stopped) co_return stopped;
  stopped = co_await asking_.stop();
  if (!stopped) co_return stopped;
  stopped = co_await mcp_http_.stop();
  if (!stopped) co_return stopped;
  background_.cancel();
  co_return co_await background_.drain(kNever);
}

}  // namespace patchbay::app
