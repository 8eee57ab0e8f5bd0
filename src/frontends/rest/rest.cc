#include "frontends/rest/rest.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ids.h"
#include "frontends/rest/content.h"
#include "frontends/synthetic_request.h"
#include "gateway/parked_calls.h"
#include "json/read.h"
#include "net/http/syntax/accept.h"
#include "net/http/syntax/percent.h"

namespace patchbay::frontends {
namespace {

using net::HttpExchange;
using Kind = RestPath::Kind;

constexpr std::string_view kIdHeader = "X-Correlation-Id";
constexpr std::size_t kMostId = 128;  // Bytes of an id from a client.

bool wants_stream(const net::HttpRequest& request) {
  return net::preferred_type(net::accept_of(request), {net::kJson, net::kEventStream}) ==
         net::kEventStream;
}

// Whether the client accepts the response type, as far as it is known in advance. A resource has
// its own type, and the health of the gateway is for every kind of client.
bool can_read_answer(const net::HttpRequest& request, const RestPath& target) {
  if (target.kind == Kind::health) return true;
  if (target.kind == Kind::resource && target.dialect == Dialect::plain) return true;
  const auto other = request.method == "POST" ? net::kEventStream : net::kJson;
  return !net::preferred_type(net::accept_of(request), {net::kJson, other}).empty();
}

// The body of a POST: one JSON object, or nothing at all, which is an empty one.
Result<std::string_view> object_in(const HttpExchange& exchange) {
  if (exchange.body.empty()) return std::string_view("{}");
  auto good = json::check(exchange.body);
  if (!good) return good.error();
  if (json::type_of(exchange.body) != json::Type::object) {
    return Error{Code::invalid_params, "the body must be a JSON object"};
  }
  return exchange.body;
}

std::string id_field(const mcp::Message& message) {
  return fmt::format("{}: {}\r\n", kIdHeader, *json::as_string(message.id));
}

Task<void> refuse(HttpExchange& exchange, Dialect dialect, int status, Error error,
                  std::string fields = {}) {
  RestAnswer answer = error_answer(dialect, status, error);
  answer.fields += fields;
  co_return co_await send_answer(exchange, answer);
}

}  // namespace

Rest::Rest(gateway::McpServer& server, gateway::CatalogView& catalog,
           const OperationsView& operations, NodeForwarding nodes, RestSettings settings,
           const RestStreaming& streaming)
    : server_(server),
      catalog_(catalog),
      operations_(operations),
      nodes_(nodes),
      settings_(std::move(settings)),
      streaming_(streaming),
      run_(random_hex(4)) {}

void Rest::update(RestSettings settings, const RestStreaming& streaming) {
  settings_ = std::move(settings);
  streaming_ = streaming;
}

Task<void> Rest::handle(HttpExchange& exchange) {
  const auto& request = exchange.request;
  const Dialect dialect = dialect_of(request.path);
  Result<std::optional<RestPath>> target = std::optional<RestPath>();
  if (settings_.enabled) target = find_target(request.path, request.method, settings_.topology);
  if (!target) co_return co_await refuse(exchange, dialect, 400, target.error());
  if (!*target) {
    Error nothing{Code::not_found, "there is nothing at this path"};
    co_return co_await refuse(exchange, dialect, 404, std::move(nothing));
  }
  if (!net::has_method((*target)->allow, request.method)) {
    Error wrong{Code::invalid_request, "this method is not allowed here"};
    std::string allow = fmt::format("Allow: {}\r\n", (*target)->allow);
    co_return co_await refuse(exchange, dialect, 405, std::move(wrong), std::move(allow));
  }
  co_return co_await serve(exchange, **target);
}

Task<void> Rest::serve(HttpExchange& exchange, const RestPath& target) {
  const bool post = exchange.request.method == "POST";
  if (post && !exchange.body.empty() && !net::is_json(exchange.request)) {
    Error wrong{Code::invalid_request, "Content-Type must be application/json"};
    co_return co_await refuse(exchange, target.dialect, 415, std::move(wrong));
  }
  if (!can_read_answer(exchange.request, target)) {
    Error wrong{Code::invalid_request, post ? "Accept allows neither application/json nor "
                                              "text/event-stream"
                                            : "Accept must allow application/json"};
    co_return co_await refuse(exchange, target.dialect, 406, std::move(wrong));
  }
  if (post) co_return co_await call_tool(exchange, target);
  if (target.kind == Kind::resource) co_return co_await read_resource(exchange, target);
  auto query = net::parse_query(exchange.request.query);
  if (!query) co_return co_await refuse(exchange, target.dialect, 400, query.error());
  auto answering = target.kind == Kind::tools       ? show_tools(exchange, *std::move(query))
                   : target.kind == Kind::resources ? show_resources(exchange, *std::move(query))
                   : target.kind == Kind::agents    ? show_agents(exchange, *std::move(query))
                   : target.kind == Kind::tool      ? show_tool(exchange, target)
                                                    : show_health(exchange);
  auto answer = co_await answering;
  if (!answer) answer = error_answer(target.dialect, answer.error());
  co_return co_await send_answer(exchange, *answer);
}

// The id that the client gives its call, if it fits into a log line; else a generated one.
std::string Rest::next_id(const HttpExchange& exchange) {
  const auto given = exchange.request.fields.find(kIdHeader);
  const auto plain = [](char c) { return c > ' ' && c <= '~'; };
  if (given && !given->empty() && given->size() <= kMostId && std::ranges::all_of(*given, plain)) {
    return std::string(*given);
  }
  return fmt::format("{}-{}", run_, ++calls_);
}

// Calls the tool, or continues a call that asked a question: the body then holds the answers.
Task<void> Rest::call_tool(HttpExchange& exchange, const RestPath& target) {
  auto body = object_in(exchange);
  if (!body) co_return co_await refuse(exchange, target.dialect, 400, body.error());
  SyntheticRequest request("tools/call", json::quote(next_id(exchange)));
  request.add_text("name", target.name);
  const bool answers = target.kind == Kind::answer;
  if (answers) {
    auto forwarded =
        co_await nodes_.forward_to(exchange, gateway::ParkedCalls::node_of(target.state));
    if (!forwarded) co_return co_await refuse(exchange, target.dialect, 502, forwarded.error());
    if (*forwarded) co_return ok();
  }
  if (answers) request.add_text("requestState", target.state);
  request.add(answers ? "inputResponses" : "arguments", *body);
  co_return co_await run_tool(exchange, target, request);
}

Task<void> Rest::run_tool(HttpExchange& exchange, const RestPath& target,
                          SyntheticRequest& request) {
  const bool streamed = wants_stream(exchange.request);
  if (streamed) {
    request.add_meta("progressToken", "1");
    request.add_meta(mcp::kMetaLogLevel, "\"info\"");
  }
  const mcp::Message& message = request.message();
  RestCall running(server_, exchange, message, id_field(message), streamed ? &streaming_ : nullptr);
  auto reply = co_await running.run();
  if (!reply) co_return reply.error();
  // For an answer, the only possible error is a link that is no longer valid.
  const bool stale = target.kind == Kind::answer && reply->why == Code::invalid_params;
  RestAnswer answer =
      stale ? error_answer(target.dialect, 409,
                           {Code::invalid_params,
                            "this link has been used, has expired, or was not made here"})
            : tool_answer(target.dialect, *std::move(reply), target.path);
  co_return co_await running.finish(std::move(answer));
}

Task<void> Rest::read_resource(HttpExchange& exchange, const RestPath& target) {
  if (!exchange.request.query.empty()) {
    Error wrong{Code::invalid_request, "a '?' in the URI of a resource is written %3F"};
    co_return co_await refuse(exchange, target.dialect, 400, std::move(wrong));
  }
  auto uri = co_await uri_of(target.name, exchange.caller);
  if (!uri) co_return uri.error();
  SyntheticRequest request("resources/read", json::quote(next_id(exchange)));
  request.add_text("uri", *uri);
  const mcp::Message& message = request.message();
  RestCall running(server_, exchange, message, id_field(message), nullptr);
  auto reply = co_await running.run();
  if (!reply) co_return reply.error();
  RestAnswer answer;
  if (reply->is_error) {
    answer = failure_answer(target.dialect, *reply, true);
  } else if (reply->type == mcp::ResultType::input_required) {
    // A GET cannot answer questions, so a resource that asks one needs a call.
    answer = error_answer(target.dialect, 409,
                          {Code::missing_capability, "the resource asks something first"});
  } else if (target.dialect == Dialect::mcp) {
    answer.body = std::move(reply->body);
  } else {
    // Callers may have different rights, so caching for all is allowed only without rules and
    // callers.
    const bool same_for_all = exchange.caller->auth_method == AuthMethod::none && !catalog_.rules();
    answer = content_answer(exchange.request, *reply, same_for_all);
  }
  co_return co_await running.finish(std::move(answer));
}

}  // namespace patchbay::frontends
