#include "upstreams/openapi/client.h"

#include <fmt/format.h>

#include "core/http_token.h"
#include "transport/context_fields.h"
#include "transport/http_channel.h"
#include "upstreams/openapi/resources.h"

namespace patchbay::upstreams {
namespace {

constexpr int kFirstFailure = 400;  // Statuses from here on say that a request failed.

}  // namespace

void OpenapiClient::use(std::shared_ptr<const OpenapiService> service) {
  // A new document may name another server; connections to the old one end with their calls.
  if (!pool_ || pool_->origin().origin() != service->server.origin()) {
    pool_ = std::make_shared<net::HttpPool>(
        service->server, service->server.tls ? target_.tls : nullptr, target_.pool);
  }
  service_ = std::move(service);
}

Task<mcp::Reply> OpenapiClient::call(const gateway::Call& of, std::string_view name,
                                     std::string_view arguments,
                                     transport::Credentials* credentials) {
  const auto service = service_;
  const auto found = service ? service->tools.find(name) : decltype(service->tools.end())();
  if (!service || found == service->tools.end()) {
    co_return Error{Code::not_found, fmt::format("there is no operation '{}'", name)};
  }
  auto answer = co_await send(of, service, service->operations[found->second],
                              std::string(arguments), credentials);
  if (!answer) co_return answer.error();
  co_return tool_reply(*answer);
}

Task<mcp::Reply> OpenapiClient::read(const gateway::Call& of, std::string_view uri,
                                     transport::Credentials* credentials) {
  const auto service = service_;
  const OpenapiOperation* best = nullptr;
  std::string arguments;
  for (const auto number : service ? service->resources : std::vector<std::size_t>()) {
    const auto& operation = service->operations[number];
    // If a URI matches two operations, the one with more literal text is used.
    if (best && operation.pieces.size() >= best->pieces.size()) continue;
    auto given = arguments_of_uri(operation, target_.upstream, uri);
    if (!given) co_return Error{Code::invalid_params, given.error().message};
    if (!*given) continue;
    best = &operation;
    arguments = **std::move(given);
  }
  if (!best) co_return Error{Code::resource_not_found, "there is no such resource"};
  auto answer = co_await send(of, service, *best, std::move(arguments), credentials);
  if (!answer) co_return answer.error();
  answer->uri = uri;
  co_return read_reply(*answer);
}

// The service exists as long as its operation is used.
Task<OpenapiAnswer> OpenapiClient::send(const gateway::Call& of,
                                        std::shared_ptr<const OpenapiService> service,
                                        const OpenapiOperation& operation, std::string arguments,
                                        transport::Credentials* credentials) {
  if (!pool_) co_return Error{Code::unavailable, "the upstream is stopping"};
  auto request = make_request(target_.base, operation, arguments);
  if (!request) co_return request.error();
  ClientCalls::Call running(running_, co_await current_stop());
  auto task = attempt(of, operation, *request, credentials, pool_);
  auto answer = co_await task.with_stop(running.stop());
  // An operation that only reads may be sent again.
  if (!answer && operation.is_safe() && net::died_unanswered(answer.error())) {
    auto again = attempt(of, operation, *request, credentials, pool_);
    answer = co_await again.with_stop(running.stop());
  }
  if (!answer && running_.ending()) {
    co_return Error{Code::unavailable, "the upstream is stopping"};
  }
  if (!answer) co_return transport::fault_of_server(answer.error());
  answer->uri = uri_of(target_.upstream, request->location);
  co_return answer;
}

Task<OpenapiAnswer> OpenapiClient::attempt(const gateway::Call& of,
                                           const OpenapiOperation& operation,
                                           const OpenapiRequest& request,
                                           transport::Credentials* credentials, Pool pool) {
  of.trace.begin_attempt();
  if (of.trace.is_traced()) {
    const net::Url& server = pool->origin();
    of.trace.set_target({.method = operation.method,
                         .to = operation.base + operation.path,
                         .server = server.host,
                         .port = server.port});
  }
  std::string fields = request.fields;
  transport::append_context(fields, of.trace.for_upstream());
  const net::HttpCall call{operation.method, request.path, fields, request.body, nullptr};
  auto answer = co_await exchange(call, credentials, pool, of.deadline);
  if (answer) of.trace.set_http_status(answer->status);
  of.trace.leave(!answer || answer->status >= kFirstFailure);
  co_return answer;
}

Task<OpenapiAnswer> OpenapiClient::exchange(const net::HttpCall& call,
                                            transport::Credentials* credentials, Pool pool,
                                            Deadline deadline) {
  auto asked = transport::request_as(credentials, *pool, call, deadline);
  auto response = co_await asked;
  if (!response) co_return response.error();
  OpenapiAnswer answer;
  answer.status = (*response)->status();
  answer.media = (*response)->field("Content-Type");
  const std::string encoding((*response)->field("Content-Encoding"));
  if (!encoding.empty() && !same_token(encoding, "identity")) {
    co_return Error{Code::upstream_failed,
                    "the service encoded its answer although no encoding was accepted"};
  }
  if (const auto body = (*response)->body_at_hand()) {
    answer.body = *body;
  } else {
    auto read = co_await (*response)->read_all(target_.answer, deadline);
    if (!read) co_return read.error();
    answer.body = *std::move(read);
  }
  if (answer.body.size() > target_.answer) {
    co_return Error{Code::upstream_failed, "the answer of the service is too large"};
  }
  co_return answer;
}

Task<void> OpenapiClient::stop(Deadline deadline) {
  auto ended = co_await running_.end(deadline);
  pool_.reset();
  service_.reset();
  co_return ended;
}

}  // namespace patchbay::upstreams
