#include "upstreams/openapi/upstream.h"

#include <fmt/format.h>

#include <algorithm>

#include "async/hop.h"
#include "core/discard.h"
#include "json/read.h"
#include "mcp_client/connect/http.h"
#include "oauth/no_token.h"
#include "observe/log.h"
#include "upstreams/caller_templates.h"
#include "upstreams/openapi/security.h"
#include "upstreams/sign_in_call.h"

namespace patchbay::upstreams {
namespace {

constexpr std::string_view kOwnFields =
    "User-Agent: patchbay/" PATCHBAY_VERSION "\r\nAccept-Encoding: identity\r\n";

bool is_url(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://");
}

Error wrong(std::string_view setting, const Error& why) {
  return {why.code, fmt::format("{}: {}", setting, why.message)};
}

}  // namespace

Result<OpenapiPlan> plan_openapi(const std::string& name, const OpenapiSettings& settings) {
  OpenapiPlan plan;
  plan.name = name;
  plan.settings = settings;
  auto texts = CallerTemplates::parse(settings.headers);
  if (!texts) return wrong("headers", texts.error());
  if (texts->depend()) {
    return Error{Code::invalid_params, "headers: ${caller.…} is for MCP servers only"};
  }
  auto fields = header_lines(settings.headers);
  if (!fields) return wrong("headers", fields.error());
  auto tls = client_tls(settings.tls);
  if (!tls) return wrong("tls", tls.error());
  std::optional<net::Url> server;
  if (!settings.server.empty()) {
    auto url = net::parse_url(settings.server);
    if (!url) return wrong("server", url.error());
    server = *std::move(url);
  }
  if (is_url(settings.document)) {
    auto url = net::parse_url(settings.document);
    if (!url) return wrong("document", url.error());
    plan.document = *std::move(url);
    // Credentials of the service are not sent to another host that has its document.
    if (!server || server->origin() == plan.document->origin()) plan.document_fields = *fields;
  }
  for (const auto& [scheme, value] : settings.credentials) {
    if (const auto fault = fault_of_credential(value); !fault.empty()) {
      return Error{Code::invalid_params, fmt::format("credentials.{} {}", scheme, fault)};
    }
  }
  if (settings.auth) {
    const auto base = server.value_or(plan.document.value_or(net::Url()));
    auto auth = auth_plan(name, base, settings, {.mcp = false});
    if (!auth) return wrong("auth", auth.error());
    plan.auth = *std::move(auth);
  }
  plan.target = {.upstream = name,
                 .tls = *std::move(tls),
                 .pool = pool_settings(settings),
                 .base = {std::string(kOwnFields) + *fields, settings.limits.head.value},
                 .answer = settings.answer.value};
  return plan;
}

namespace {

OpenapiPlan with_pool_use(OpenapiPlan plan, metrics::Registry& registry) {
  plan.target.pool.use = std::make_shared<net::HttpPoolUse>(registry, plan.name);
  return plan;
}

}  // namespace

OpenapiUpstream::OpenapiUpstream(OpenapiPlan plan, const std::vector<net::Loop*>& workers,
                                 gateway::UpstreamWatcher& watcher, metrics::Registry& registry,
                                 ThreadPool& parsers, std::shared_ptr<oauth::Access> access)
    : plan_(with_pool_use(std::move(plan), registry)),
      watcher_(watcher),
      parsers_(parsers),
      access_(std::move(access)),
      in_flight_(registry.gauge("patchbay_upstream_calls_in_flight",
                                "Calls that an upstream is working on.",
                                metrics::labels({{"upstream", plan_.name}}))),
      source_(plan_.settings, plan_.document, plan_.target.tls, plan_.document_fields) {
  for (net::Loop* const worker : workers) {
    clients_.push_back(std::make_unique<OpenapiClient>(*worker, plan_.target));
  }
}

Task<void> OpenapiUpstream::start() {
  if (!plan_.document) {
    watch_.emplace(std::vector{plan_.settings.document}, [this] { reread(); });
  }
  scope_.spawn(keep_current());
  co_return co_await first_attempt_.wait();
}

// Reads the document, and again at each trigger.
Task<void> OpenapiUpstream::keep_current() {
  while (!stopped_) {
    auto read = read_document();
    auto done = co_await read.with_stop(stopping_);
    first_attempt_.deliver(ok());
    if (stopped_) break;
    const auto pause = done ? plan_.settings.refresh : plan_.settings.retry;
    const bool waits = pause > config::Duration(0);
    auto asked = co_await again_.wait(waits ? here().now() + pause : kNever);
    discard(asked, "a request and the timeout both lead to a read");
    again_.reset();
  }
  co_return ok();
}

Task<void> OpenapiUpstream::read_document() {
  const auto deadline = here().now() + plan_.settings.fetch_time;
  auto text = co_await source_.read(deadline);
  Result<OpenapiService> service;
  if (!text) {
    service = text.error();
  } else if (*text) {
    std::string read = std::move(**text);
    service = co_await parse(std::move(read));
  } else {
    set_state(true, "");
    co_return ok();
  }
  if (stopped_) co_return ok();
  if (!service) {
    const bool stored = state().up;
    set_state(stored,
              fmt::format("the document {}: {}{}", text ? "is of no use" : "cannot be read",
                          service.error().message, stored ? "; the last good one is used" : ""));
    co_return service.error();
  }
  source_.keep();
  publish(*std::move(service));
  set_state(true, "");
  co_return ok();
}

// Objects that the job refers to are constant and stay alive: the pool's answer is awaited even
// when the task is stopped.
Task<OpenapiService> OpenapiUpstream::parse(std::string text) {
  std::function<Result<OpenapiService>()> job = [this, text = std::move(text)] {
    return read_service(text, plan_.name, plan_.settings, plan_.document);
  };
  co_return co_await parsers_.run(std::move(job));
}

// Every worker has it before the new list becomes visible.
void OpenapiUpstream::publish(OpenapiService service) {
  for (const auto& problem : service.problems) {
    log::Line(log::Level::warn, "document").add("upstream", plan_.name).add("why", problem);
  }
  auto items = std::exchange(service.items, {});
  auto left_out = std::make_shared<const gateway::LeftOut>(std::exchange(service.left_out, {}));
  {
    const std::lock_guard lock(mutex_);
    left_out_ = std::move(left_out);
  }
  const auto shared = std::make_shared<const OpenapiService>(std::move(service));
  for (const auto& client : clients_) {
    client->loop().post([client = client.get(), shared] { client->use(shared); });
  }
  watcher_.offers(*this, std::move(items));
}

void OpenapiUpstream::set_state(bool up, std::string detail) {
  bool changed = false;
  {
    const std::lock_guard lock(mutex_);
    changed = state_.up != up || state_.detail != detail;
    state_ = {up, detail};
  }
  if (!changed) return;
  const bool well = (up && detail.empty()) || stopped_;
  log::Line(well ? log::Level::info : log::Level::warn, up ? "upstream up" : "upstream down")
      .add("upstream", plan_.name)
      .add("detail", detail);
}

gateway::UpstreamState OpenapiUpstream::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

std::shared_ptr<const gateway::LeftOut> OpenapiUpstream::left_out() const {
  const std::lock_guard lock(mutex_);
  return left_out_;
}

OpenapiClient* OpenapiUpstream::client_here() {
  const auto found =
      std::ranges::find_if(clients_, [](const auto& client) { return &client->loop() == &here(); });
  return found == clients_.end() ? nullptr : found->get();
}

Task<mcp::Reply> OpenapiUpstream::answer(const gateway::Call& call, std::string_view target) {
  OpenapiClient* const client = client_here();
  if (!client) co_return Error{Code::internal, "not on a worker"};
  in_flight_->add(1);
  auto reply = co_await answer_on(*client, call, target);
  if (!reply && access_ && oauth::wants_sign_in(reply.error())) {
    auto signed_in = co_await sign_in(call, *access_, false);
    if (!signed_in) reply = sign_in_reply(call, signed_in.error());
  }
  in_flight_->add(-1);
  co_return reply;
}

Task<mcp::Reply> OpenapiUpstream::answer_on(OpenapiClient& client, const gateway::Call& call,
                                            std::string_view target) {
  const auto credentials = access_ ? access_->credentials(call.caller) : nullptr;
  if (call.method.action == mcp::Action::read_resource) {
    co_return co_await client.read(call, target, credentials.get());
  }
  if (call.method.action != mcp::Action::call_tool) {
    co_return Error{Code::method_not_found,
                    fmt::format("the upstream has no {}", call.method.name)};
  }
  const auto* const given = call.request.param("arguments");
  const std::string_view arguments = given ? given->raw : "{}";
  if (json::type_of(arguments) != json::Type::object) {
    co_return Error{Code::invalid_params, "'arguments' must be an object"};
  }
  co_return co_await client.call(call, target, arguments, credentials.get());
}

Task<void> OpenapiUpstream::stop(Deadline deadline) {
  stopped_ = true;
  watch_.reset();
  stopping_.request();
  again_.deliver(ok());
  auto drained = co_await scope_.drain(kNever);
  Scope all;
  for (const auto& client : clients_) {
    auto there = [one = client.get(), deadline] { return one->stop(deadline); };
    all.spawn(hop<void>(client->loop(), there));
  }
  auto ended = co_await all.drain(kNever);
  set_state(false, "stopped");
  co_return drained ? ended : drained;
}

}  // namespace patchbay::upstreams
