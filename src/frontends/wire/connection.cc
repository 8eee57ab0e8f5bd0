#include "frontends/wire/connection.h"

#include "json/read.h"
#include "observe/log.h"
#include "transport/wire/fault.h"

namespace patchbay::frontends {
namespace {

using wire::FrameType;
using wire::Header;

constexpr std::string_view kFrontend = "wire-tcp";
constexpr std::string_view kHelloAck = R"({"agreed_version":1})";
constexpr std::size_t kLargestHeader = 16;
constexpr std::size_t kLinger = 1 << 20;  // Bytes that are read and dropped after a refusal.
constexpr auto kLingerTime = std::chrono::seconds(2);

Header header_of(FrameHeader header) {
  if (header == FrameHeader::automatic) return Header::unknown;
  return header == FrameHeader::seven ? Header::seven : Header::eight;
}

transport::FrameSettings frame_settings(const WireSettings& settings) {
  const Header header = header_of(settings.frame_header);
  return {.rules = {settings.max_frame.value, header, settings.origin_headers},
          .writes = header,
          .gunzip = {settings.max_frame.value, static_cast<std::size_t>(settings.gzip_ratio)},
          .gzip_above = settings.gzip_above.value,
          .outbox = settings.outbox.value,
          .frame_time = settings.frame_time,
          .ping = settings.ping,
          .pong = settings.pong};
}

// Puts an MCP message that arrived without an envelope into one.
std::string in_envelope(std::string_view payload) {
  const auto message = json::member(payload, "message").value_or(payload);
  const auto token = json::string_member(payload, "auth_token").value_or("");
  return wire::write({.source = wire::kRouter, .auth_token = token}, message);
}

}  // namespace

WireConnection::WireConnection(WireHost& host, net::Stream& stream, const net::PeerAddress& from,
                               const Times& times)
    : stream_(stream),
      times_(times),
      state_(host.state()),
      frames_(stream, frame_settings(state_->settings)),
      session_(host, *this, {kFrontend, from, from.ip_text(), stream.peer()}) {
  frames_.set_deadline(here().now() + state_->settings.first_message);
  frames_.set_most(session_.allowed());
  frames_.outbox().on_broken([this] { give_up(); });
}

Task<void> WireConnection::run(Stop& idle) {
  Scope serving;
  serving.spawn(session_.run(times_.grace));
  const StopLink at_the_end(&idle, reading_);
  const StopLink when_cancelled(co_await current_stop(), reading_);
  auto reading = frames_.read(*this);
  auto done = co_await reading.with_stop(reading_);
  if (!done && done.error().code == Code::unavailable) gone_ = true;
  if (!done && !gone_ && done.error().code != Code::cancelled) {
    session_.report_fault(done.error());
    refused_ = done.error();
  }
  if (gone_ || refused_ || frames_.closed()) {
    session_.end_at_once();
  } else {
    session_.end();
  }
  auto served = co_await serving.drain(kNever);
  if (!served) {
    // Stopped without waiting.
    session_.end_at_once();
    auto draining = serving.drain(kNever);
    served = co_await draining.shielded();
  }
  frames_.outbox().on_broken({});
  if (gone_) co_return ok();
  co_return co_await send_close(done ? "" : "the gateway stops");
}

// The last frame gives the reason, after everything else was sent.
Task<void> WireConnection::send_close(std::string_view why) {
  if (refused_) why = wire::info(wire::fault_code(refused_->code)).name;
  auto drained = co_await frames_.outbox().drained(times_.write);
  if (!drained) co_return drained;
  if (wire::size_of(frames_.header()) <= 8) {
    auto sent = frames_.send(FrameType::close, why);
    if (!sent) co_return sent;
  }
  drained = co_await frames_.outbox().drained(times_.write);
  if (!drained) co_return drained;
  stream_.end_sending();
  if (refused_) co_return co_await linger();
  co_return ok();
}

// Closing with unread input would discard the data that was just written.
Task<void> WireConnection::linger() {
  const Deadline deadline = here().now() + kLingerTime;
  std::string rubbish(4096, '\0');
  for (std::size_t read = 0; read < kLinger;) {
    auto got = co_await stream_.read_some(rubbish, deadline);
    if (!got) break;
    read += *got;
  }
  co_return ok();
}

void WireConnection::give_up() {
  gone_ = true;
  reading_.request();
}

Task<void> WireConnection::on_frame(FrameType type, std::string_view payload) {
  if (type == FrameType::data) co_return co_await on_data(payload);
  if (type == FrameType::hello) co_return frames_.send(FrameType::hello_ack, kHelloAck);
  if (type == FrameType::error) {
    log::Line(log::Level::info, "wire client reports a fault")
        .add("frontend", kFrontend)
        .add("why", wire::parse_fault(payload).message);
  }
  co_return ok();
}

Task<void> WireConnection::on_data(std::string_view payload) {
  std::string wrapped;
  if (wire::size_of(frames_.header()) > 8 && !json::member(payload, "mcp_payload")) {
    bare_ = true;
    wrapped = in_envelope(payload);
  }
  auto taken = co_await session_.take(wrapped.empty() ? payload : std::string_view(wrapped));
  if (!taken) {
    refused_ = taken.error();
    co_return Error{Code::cancelled, "the client has received the reason"};
  }
  frames_.set_deadline(kNever);
  frames_.set_most(session_.allowed());
  co_return ok();
}

std::size_t WireConnection::most() const {
  return state_->settings.max_frame.value - kLargestHeader;
}

Result<void> WireConnection::send(std::string_view text, Kind kind) {
  FrameType type = kind == Kind::error ? FrameType::error : FrameType::data;
  std::string_view payload = text;
  std::string plain;
  if (bare_) {
    if (kind == Kind::error) {
      plain = wire::parse_fault(text).message;
      payload = plain;
    } else {
      payload = json::member(text, "mcp_payload").value_or(text);
    }
  }
  auto sent = frames_.send(type, payload);
  if (!sent) give_up();
  return sent;
}

}  // namespace patchbay::frontends
