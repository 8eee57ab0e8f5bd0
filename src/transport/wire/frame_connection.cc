#include "transport/wire/frame_connection.h"

#include <algorithm>

#include "observe/memory.h"

namespace patchbay::transport {
namespace {

using wire::FrameType;
using wire::Header;

constexpr std::size_t kMostReadStep = 128 * 1024;
constexpr int kTurnFrames = 64;  // Frames handled in one turn, so that other tasks get their turn.
constexpr std::size_t kStored = 4 * 1024;  // Memory of the outbox of a connection that is idle.

std::uint64_t unix_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

}  // namespace

FrameConnection::FrameConnection(net::Stream& stream, const FrameSettings& settings)
    : stream_(stream),
      settings_(settings),
      decoder_(settings.rules),
      outbox_(stream, settings.outbox, kStored),
      last_received_(here().now()) {}

Task<void> FrameConnection::read(Listener& listener) {
  for (int left = kTurnFrames;;) {
    auto frame = decoder_.next(input_.bytes());
    if (!frame) co_return frame.error();
    if (!*frame) {
      auto more = co_await read_more();
      if (!more) {
        const bool whole = stream_.ended() && input_.empty();
        co_return whole ? ok() : more;
      }
      continue;
    }
    auto handled = co_await handle(listener, **frame);
    input_.drop((*frame)->size);
    if (!handled) co_return handled;
    if (closed_) co_return ok();
    in_frame_ = here().now();
    if (--left > 0) continue;
    left = kTurnFrames;
    co_await next_turn();
  }
}

// Reads what is available, and waits if there is nothing.
Task<void> FrameConnection::read_more() {
  input_.release_if_empty();
  for (;;) {
    // Memory for a large frame grows with the bytes that have arrived, not with the announced
    // length.
    const std::size_t have = input_.bytes().size();
    const std::size_t missing = decoder_.wanted() > have ? decoder_.wanted() - have : 1;
    if (have + missing > kMostReadStep && memory::is_short(missing)) co_return memory::shortage();
    const auto room = input_.room(std::min(missing, std::max(read_step_, have)));
    auto got = stream_.try_read(room);
    if (!got) co_return got.error();
    if (*got > 0) {
      if (have == 0) in_frame_ = here().now();
      read_step_ =
          *got == room.size() ? std::min(read_step_ * 2, kMostReadStep) : net::InputBuffer::kBlock;
      input_.add(*got);
      last_received_ = here().now();
      awaiting_pong_ = false;
      co_return ok();
    }
    input_.release_if_empty();
    auto ready = co_await stream_.ready(net::Source::Direction::read, next_deadline());
    if (ready) continue;
    if (ready.error().code != Code::timeout) co_return ready.error();
    auto patient = after_silence(here().now());
    if (!patient) co_return patient.error();
  }
}

Deadline FrameConnection::next_deadline() const {
  Deadline next = awaiting_pong_ ? asked_ + settings_.pong : last_received_ + settings_.ping;
  if (!input_.empty()) next = std::min(next, in_frame_ + settings_.frame_time);
  return std::min(next, deadline_);
}

Result<void> FrameConnection::after_silence(Deadline now) {
  if (now >= deadline_) return Error{Code::timeout, "the first message did not arrive in time"};
  if (!input_.empty() && now >= in_frame_ + settings_.frame_time) {
    return Error{Code::timeout, "the frame did not arrive in time"};
  }
  if (awaiting_pong_ && now >= asked_ + settings_.pong) {
    return Error{Code::unavailable, "the peer does not answer PINGs"};
  }
  if (awaiting_pong_ || now < last_received_ + settings_.ping) return ok();
  awaiting_pong_ = true;
  asked_ = now;
  echo_due_ = wire::size_of(header()) > 8;
  return send(FrameType::ping, wire::ping_payload(unix_ms()));
}

Task<void> FrameConnection::handle(Listener& listener, const wire::Frame& frame) {
  using enum FrameType;
  if (frame.type == ping || frame.type == pong || frame.type == close) {
    co_return handle_control(frame);
  }
  if (!frame.compressed) co_return co_await listener.on_frame(frame.type, frame.payload);
  peer_compresses_ = true;
  auto text = wire::gunzip(frame.payload, settings_.gunzip);
  if (!text) co_return text.error();
  co_return co_await listener.on_frame(frame.type, *text);
}

Result<void> FrameConnection::handle_control(const wire::Frame& frame) {
  if (frame.type == FrameType::close) {
    closed_ = frame.payload;
    return ok();
  }
  // With the headers of 12 and 16 bytes PING and PONG look the same: an answer to ours needs no
  // answer.
  const bool is_answer = frame.type == FrameType::pong || std::exchange(echo_due_, false);
  return is_answer ? ok() : send(FrameType::pong, frame.payload);
}

Header FrameConnection::header() const {
  if (decoder_.header() != Header::unknown && settings_.writes == Header::unknown) {
    return decoder_.header();
  }
  return settings_.writes == Header::unknown ? Header::seven : settings_.writes;
}

Result<void> FrameConnection::send(FrameType type, std::string_view payload) {
  std::string head;
  const bool control =
      type == FrameType::ping || type == FrameType::pong || type == FrameType::close;
  if (control) return outbox_.put_first({wire::encode(header(), type, payload)});
  const bool origin = wire::size_of(header()) > 8;
  if (peer_compresses_ && !origin && settings_.gzip_above > 0 &&
      payload.size() > settings_.gzip_above) {
    auto packed = wire::gzip(payload);
    if (!packed) return packed.error();
    wire::append_header(head, Header::eight, type, packed->size(), true);
    return outbox_.put({head, *packed});
  }
  wire::append_header(head, header(), type, payload.size());
  return outbox_.put({head, payload});
}

}  // namespace patchbay::transport
