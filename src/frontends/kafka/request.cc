#include "frontends/kafka/request.h"

#include <fmt/format.h>

#include "bus/framing.h"
#include "json/read.h"
#include "json/write.h"

namespace patchbay::frontends {
namespace {

constexpr std::string_view kCapabilities = R"({"elicitation":{"form":{}}})";

std::string envelope(int index, std::string_view status, std::string_view message,
                     std::string_view payload) {
  std::string value;
  json::Object object(value);
  object.raw("requestIndex", std::to_string(index));
  object.raw("status", json::quote(status));
  if (!message.empty()) object.raw("message", json::quote(message));
  if (!payload.empty()) object.raw("payload", payload);
  object.end();
  return value;
}

}  // namespace

Result<BusRequest> read_bus_request(const bus::OwnedMessage& record) {
  const auto wrong = [](std::string_view why) {
    return Error{Code::invalid_params, fmt::format("the request {}", why)};
  };
  if (!record.value) return wrong("has no value");
  auto framed = bus::unframe(*record.value, record.header(bus::kValueSchemaHeader));
  if (!framed) return wrong("is framed wrongly");
  const std::string_view text = framed->payload;
  if (!json::check(text)) return wrong("is not JSON");
  if (json::type_of(text) != json::Type::object) return wrong("is not an object");
  BusRequest asked{.arguments = std::string(text)};
  const auto index = json::as_int(json::member(text, "requestIndex").value_or(""));
  const auto payload = json::member(text, "payload");
  if (index && payload && json::type_of(*payload) == json::Type::object) {
    asked = {std::string(*payload), static_cast<int>(*index), true};
  }
  asked.context.to = record.topic;
  asked.context.traceparent = record.header("traceparent").value_or("");
  asked.context.tracestate = record.header("tracestate").value_or("");
  asked.context.baggage = record.header("baggage").value_or("");
  return asked;
}

std::string failed_reply(int index, std::string_view message) {
  return envelope(index, "FAILED", message, "");
}

std::string message_of(const mcp::Reply& outcome) {
  return json::string_member(outcome.body, "message").value_or("it failed");
}

// A tool that reports a failure has answered.
std::string final_reply(int index, const mcp::Reply& outcome) {
  if (outcome.is_error) return failed_reply(index, message_of(outcome));
  return envelope(index, "COMPLETED", "", outcome.body);
}

bool is_worth_another_try(const mcp::Reply& outcome) {
  if (!outcome.is_error || !outcome.why) return false;
  const Code why = *outcome.why;
  return why == Code::unavailable || why == Code::overloaded || why == Code::upstream_failed ||
         why == Code::timeout;
}

KafkaRequest::KafkaRequest(gateway::McpServer& server, const ServedTool& tool,
                           const BusRequest& asked, std::string id, std::int64_t offset, Send send)
    : server_(server),
      tool_(tool),
      asked_(asked),
      id_(std::move(id)),
      offset_(offset),
      send_(std::move(send)),
      index_(asked.index) {}

Task<mcp::Reply> KafkaRequest::run() {
  SyntheticRequest request("tools/call", json::quote(id_));
  request.add_text("name", tool_.tool);
  request.add("arguments", asked_.arguments);
  request.add_meta("progressToken", "1");
  auto call = gateway::make_call({.request = request.message(),
                                  .method = *mcp::find_method("tools/call", mcp::kNewest),
                                  .revision = mcp::kNewest,
                                  .frontend = "bus",
                                  .caller = local_caller(),
                                  .client = *this,
                                  .deadline = server_.deadline(),
                                  .bytes_in = asked_.arguments.size(),
                                  .capabilities = kCapabilities,
                                  .trace = asked_.context.view()});
  if (last_.valid()) call.trace.link_to(last_);
  auto reply = co_await server_.answer_at_once(call);
  last_ = call.trace.context();
  if (waiting_) waiting_(mcp::error_reply({Code::cancelled, "the call is over"}));
  waiting_ = nullptr;
  co_return reply;
}

Task<void> KafkaRequest::flush() { co_return co_await notifying_.drain(kNever); }

// A notification that cannot be sent is lost; only the answer is sent again.
Task<void> KafkaRequest::notify(BusReply reply) {
  auto sent = co_await send_(std::move(reply));
  co_return sent;
}

void KafkaRequest::notify(std::string_view method, std::string_view params) {
  if (method != "notifications/progress") return;
  const auto message = json::string_member(params, "message").value_or("");
  const auto done = json::member(params, "progress").value_or("0");
  notifying_.spawn(
      notify({envelope(index_, "RUNNING", message, fmt::format(R"({{"progress":{}}})", done))}));
}

void KafkaRequest::ask(std::string_view method, std::string_view params, gateway::Answer answer) {
  if (method != "elicitation/create" || waiting_) {
    answer(mcp::error_reply({Code::method_not_found, "a caller on the bus cannot be asked this"}));
    return;
  }
  waiting_ = std::move(answer);
  const auto schema = json::member(params, "requestedSchema").value_or(R"({"type":"object"})");
  const auto meta = json::member(params, "_meta").value_or("{}");
  notifying_.spawn(notify({.value = envelope(index_, "INPUT_REQUIRED",
                                             json::string_member(params, "message").value_or(""),
                                             fmt::format(R"({{"requestedSchema":{}}})", schema)),
                           .parent = json::string_member(meta, "traceparent").value_or("")}));
}

void KafkaRequest::take_answer(std::string_view content) {
  if (!waiting_) return;
  ++index_;
  auto answer = std::exchange(waiting_, nullptr);
  answer(mcp::result_reply(fmt::format(R"({{"action":"accept","content":{}}})", content)));
}

}  // namespace patchbay::frontends
