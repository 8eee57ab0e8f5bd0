#include "transport/wire/frame_channel.h"

#include <fmt/format.h>

#include "core/discard.h"
#include "json/read.h"
#include "transport/wire/envelope.h"
#include "transport/wire/fault.h"

namespace patchbay::transport {
namespace {

constexpr auto kCloseTimeout = std::chrono::seconds(2);  // For queued data at the end.

// The content of an ERROR frame as an envelope: it may also be a bare object, or plain text.
std::string fault_text(std::string_view payload) {
  if (json::member(payload, "error")) return std::string(payload);
  const Error fault = wire::parse_fault(payload);
  return wire::write_error({}, wire::fault_object(fault, fault.data));
}

}  // namespace

void FrameChannel::start(Channel::Listener& listener) {
  listener_ = &listener;
  scope_.spawn(serve());
}

Task<void> FrameChannel::serve() {
  auto ended = co_await frames_.read(*this);
  if (closed_) co_return ended;
  std::string why = ended ? "the gateway closed the connection" : ended.error().message;
  if (const auto& reason = frames_.closed(); reason && !reason->empty()) why += ": " + *reason;
  listener_->on_closed(why);
  co_return ended;
}

Task<void> FrameChannel::on_frame(wire::FrameType type, std::string_view payload) {
  if (closed_) co_return Error{Code::cancelled, "closed"};
  if (type == wire::FrameType::data) listener_->on_message(payload, 0);
  if (type == wire::FrameType::error) listener_->on_message(fault_text(payload), 0);
  co_return ok();
}

Result<void> FrameChannel::send(std::string message, const Sending& /*how*/) {
  if (closed_) return Error{Code::unavailable, "the channel is closed"};
  if (message.size() + wire::size_of(frames_.header()) > wire::kMaxFrame) {
    return Error{Code::too_large,
                 fmt::format("a message of {} bytes does not fit into a frame", message.size())};
  }
  return frames_.send(wire::FrameType::data, message);
}

void FrameChannel::close_sending() {
  if (closed_) return;
  discard(frames_.send(wire::FrameType::close, ""), "the connection may have ended");
}

void FrameChannel::close() {
  if (closed_) return;
  close_sending();
  closed_ = true;
  scope_.cancel();
}

// Shielded: the channel must reach its end although the task is cancelled.
Task<void> FrameChannel::finish() {
  auto ending = scope_.drain(kNever);
  auto done = co_await ending.shielded();
  auto writing = frames_.outbox().drained(kCloseTimeout);
  auto written = co_await writing.shielded();
  discard(written, "the connection may have ended");
  co_return done;
}

}  // namespace patchbay::transport
