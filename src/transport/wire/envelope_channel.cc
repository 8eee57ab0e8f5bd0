#include "transport/wire/envelope_channel.h"

#include <fmt/format.h>

#include "core/ids.h"
#include "json/read.h"
#include "mcp/compose.h"
#include "mcp/reply.h"
#include "observe/log.h"
#include "transport/wire/fault.h"

namespace patchbay::transport {
namespace {

constexpr std::string_view kAnswerSuffix = "-resp";  // Some gateways answer id with id-resp.

bool announces_chunks(std::string_view capabilities) {
  if (json::member(capabilities, "chunking") == "true") return true;
  const auto experimental = json::member(capabilities, "experimental");
  const auto wire = experimental ? json::member(*experimental, "wire") : std::nullopt;
  return wire && json::member(*wire, "chunking") == "true";
}

// `initialize` as received, with the announcement that we accept messages in pieces.
std::string with_chunking(std::string_view message) {
  const auto params = json::member(message, "params").value_or("{}");
  const auto capabilities = json::member(params, "capabilities").value_or("{}");
  const auto experimental = json::member(capabilities, "experimental").value_or("{}");
  const std::string more = json::with_member(experimental, "wire", R"({"chunking":true})");
  return json::with_member(
      message, "params",
      json::with_member(params, "capabilities",
                        json::with_member(capabilities, "experimental", more)));
}

}  // namespace

void EnvelopeChannel::start(Channel::Listener& listener) {
  listener_ = &listener;
  texts_.start(*this);
}

Result<void> EnvelopeChannel::send(std::string message, const Sending& how) {
  const auto method = json::string_member(message, "method");
  const auto id = method ? json::member(message, "id") : std::nullopt;
  const std::string envelope = random_uuid();
  const std::string raw_id(id.value_or(""));
  // A cancelled request gets no response.
  if (method == "notifications/cancelled") {
    const auto params = json::member(message, "params");
    const auto cancelled = params ? json::member(*params, "requestId") : std::nullopt;
    if (cancelled) forget(std::string(*cancelled));
  }
  if (method == "initialize") {
    initialize_id_ = raw_id;
    message = with_chunking(message);
  }
  const wire::Heading heading{
      .source = wire::kRouter,
      .target_namespace = method ? wire::namespace_of(*method) : std::string_view(),
      .auth_token = token_,
      .id = envelope};
  Result<void> sent;
  if (in_pieces_ && settings_.most > 0 && message.size() > settings_.most) {
    for (auto& text : wire::cut(heading, message, settings_.chunks.piece)) {
      sent = texts_.send(std::move(text), how);
      if (!sent) return sent;
    }
  } else {
    sent = texts_.send(wire::write(heading, message), how);
  }
  if (sent && !raw_id.empty()) {
    asked_[envelope] = raw_id;
    envelopes_[raw_id] = envelope;
  }
  return sent;
}

void EnvelopeChannel::on_message(std::string_view text, std::uint64_t /*cause*/) {
  wire::Envelope envelope;
  auto parsed = wire::parse(text, envelope);
  if (!parsed) {
    log::Line(log::Level::warn, "not a wire message").add("why", parsed.error().message);
    return;
  }
  if (envelope.chunk) {
    std::string memory;
    auto whole = chunks_.add(envelope, memory);
    if (!whole) log::Line(log::Level::warn, "pieces lost").add("why", whole.error().message);
    if (whole && *whole) on_payload(**whole);
  } else if (!envelope.payload.empty()) {
    on_payload(envelope);
  } else {
    on_fault(envelope);
  }
}

// A gateway sends a fault before it closes a connection: that is the reason.
void EnvelopeChannel::on_closed(const std::string& why) {
  listener_->on_closed(fault_.empty() ? why : fmt::format("{} ({})", why, fault_));
}

void EnvelopeChannel::on_payload(const wire::Envelope& envelope) {
  fault_.clear();
  const auto id = json::member(envelope.payload, "id");
  const bool response = id && !json::member(envelope.payload, "method");
  if (!response) return listener_->on_message(envelope.payload, 0);
  std::string ours(*id);
  std::string changed;
  if (!envelopes_.contains(ours)) {
    // The gateway has lost the id; the envelope may still name the request.
    ours = answered(envelope);
    if (!ours.empty()) changed = json::with_member(envelope.payload, "id", ours);
  }
  const std::string_view payload = changed.empty() ? envelope.payload : std::string_view(changed);
  if (!initialize_id_.empty() && ours == initialize_id_) {
    const auto result = json::member(payload, "result");
    const auto capabilities = result ? json::member(*result, "capabilities") : std::nullopt;
    in_pieces_ = capabilities && announces_chunks(*capabilities);
    initialize_id_.clear();
  }
  forget(ours);
  listener_->on_message(payload, 0);
}

void EnvelopeChannel::on_fault(const wire::Envelope& envelope) {
  const Error fault = wire::parse_fault(envelope.error);
  fault_ = fault.message;
  const std::string id = answered(envelope);
  if (id.empty()) {
    log::Line(log::Level::warn, "the gateway reports a fault").add("why", fault.message);
    return;
  }
  forget(id);
  listener_->on_message(mcp::response(id, mcp::error_reply(fault)), 0);
}

std::string EnvelopeChannel::answered(const wire::Envelope& envelope) const {
  std::string_view without = envelope.id;
  if (without.ends_with(kAnswerSuffix)) without.remove_suffix(kAnswerSuffix.size());
  for (const std::string_view id :
       {std::string_view(envelope.correlation_id), std::string_view(envelope.id), without}) {
    if (const auto found = asked_.find(id); found != asked_.end()) return found->second;
  }
  return "";
}

void EnvelopeChannel::forget(const std::string& id) {
  const auto found = envelopes_.find(id);
  if (found == envelopes_.end()) return;
  asked_.erase(found->second);
  envelopes_.erase(found);
}

}  // namespace patchbay::transport
