#include "net/websocket/socket.h"

#include <sys/random.h>

#include <algorithm>
#include <cstdlib>

#include "core/discard.h"
#include "core/release.h"
#include "core/text.h"
#include "observe/memory.h"

namespace patchbay::net {
namespace {

constexpr std::size_t kFragment = 64 * 1024;  // Larger messages are sent in parts of this size,
                                              // so that pings can be sent between them.
// Bytes read in one turn, so that other tasks get their turn.
constexpr std::size_t kTurnBudget = 1 << 20;
constexpr std::size_t kLargestRead = 256 * 1024;
constexpr std::size_t kKeep = 4 * 1024;         // Memory retained while idle.
constexpr std::size_t kMostDropped = 16 << 20;  // Read and dropped after a fault.
constexpr std::size_t kMasks = 64;              // Random bytes fetched at a time.

}  // namespace

WebSocket::WebSocket(Stream& stream, InputBuffer& input, WsSide side,
                     const WebSocketSettings& settings)
    : stream_(stream),
      input_(input),
      side_(side),
      settings_(settings),
      outbox_(stream, settings.outbox, kKeep),
      reader_(side, settings.limits) {}

WebSocket::~WebSocket() { stream_.forget(*this); }

void WebSocket::start(Receiver& receiver) {
  receiver_ = &receiver;
  outbox_.on_broken([this, alive = liveness_.watch()] {
    if (alive.expired()) return;
    end(State::over, WsClose::broken_off, "the peer has disconnected");
  });
  outbox_.on_progress([this] { on_progress(); });
  if (settings_.ping.count() > 0) next_ping_ = here().now() + settings_.ping;
  arm();
  read_soon();
}

void WebSocket::read_soon() {
  here().post([this, alive = liveness_.watch()] {
    if (!alive.expired()) read();
  });
}

// All input is handled before the next read.
void WebSocket::read() {
  for (std::size_t budget = kTurnBudget; state_ != State::over;) {
    if (!input_.empty() && !take_input()) return;
    paused_ = held_back();
    if (paused_) return arm();
    const auto message = reader_.underway() ? reader_.message().size() + reader_.announced() : 0;
    if (message > kFragment && state_ == State::open && memory::is_short()) {
      fail(WsClose::try_later, memory::shortage().message);
      continue;
    }
    const auto wanted = std::min<std::uint64_t>(reader_.announced(), kLargestRead);
    auto got = stream_.try_read(input_.room(std::max<std::size_t>(wanted, 1)));
    if (!got) return end(State::over, WsClose::broken_off, "the peer has disconnected");
    if (*got == 0) break;
    input_.add(*got);
    unanswered_ = kNever;
    if (budget <= *got) return read_soon();
    budget -= *got;
  }
  if (state_ == State::over) return;
  input_.release_if_empty();
  message_ = !reader_.underway() && input_.empty() ? kNever
             : message_ == kNever                  ? here().now()
                                                   : message_;
  stream_.wait_readable(*this);
  arm();
}

// False: the connection is over, or reading further is useless.
bool WebSocket::take_input() {
  while (!input_.empty() && !held_back()) {
    if (state_ == State::faulted || state_ == State::failing || state_ == State::leaving) {
      dropped_ += input_.bytes().size();
      input_.drop(input_.bytes().size());
      if (dropped_ > kMostDropped) finish();
      break;
    }
    auto step = reader_.next(input_.bytes());
    if (!step) {
      fail(ws_close_code(step.error()), step.error().message);
      continue;
    }
    input_.drop(step->taken);
    if (step->kind == WsReader::Kind::none) break;
    take_step(step->kind);
  }
  return state_ != State::over;
}

void WebSocket::take_step(WsReader::Kind kind) {
  switch (kind) {
    case WsReader::Kind::text: {
      message_ = kNever;
      if (state_ == State::open) receiver_->on_text(reader_.message());
      release_beyond(reader_.message(), kKeep);
      break;
    }
    case WsReader::Kind::ping:
      if (state_ == State::open) put_control(WsOpcode::pong, reader_.control());
      break;
    case WsReader::Kind::close:
      answer_close();
      break;
    case WsReader::Kind::pong:
    case WsReader::Kind::none:
      break;
  }
}

Result<void> WebSocket::send(std::string_view text) {
  if (!open()) return Error{Code::unavailable, "the WebSocket is closed"};
  if (auto room = outbox_.check_room(text.size()); !room) return room;
  if (outbox_.empty()) writing_ = here().now();
  WsOpcode opcode = WsOpcode::text;
  do {
    const auto part = text.substr(0, kFragment);
    text.remove_prefix(part.size());
    put_frame(std::exchange(opcode, WsOpcode::more), text.empty(), part);
  } while (!text.empty());
  arm();
  return ok();
}

void WebSocket::put_frame(WsOpcode opcode, bool last, std::string_view payload) {
  if (side_ == WsSide::server) {
    const std::string head = ws_frame_head(opcode, last, payload.size());
    outbox_.add({head, payload});
    return;
  }
  const WsMask mask = new_mask();
  const std::string head = ws_frame_head(opcode, last, payload.size(), mask);
  std::string masked(payload);
  ws_mask(masked.data(), masked.size(), mask, 0);
  outbox_.add({head, masked});
}

// Control frames are queued before messages. A close frame is not: it is the last frame.
void WebSocket::put_control(WsOpcode opcode, std::string_view payload) {
  const bool masks = side_ == WsSide::client;
  const WsMask mask = masks ? new_mask() : WsMask{};
  std::string frame =
      ws_frame_head(opcode, true, payload.size(), masks ? std::optional(mask) : std::nullopt);
  const auto head = frame.size();
  frame += payload;
  if (masks) ws_mask(frame.data() + head, payload.size(), mask, 0);
  if (outbox_.empty()) writing_ = here().now();
  auto put = outbox_.put_first({frame});
  discard(put, "the queue holds enough answers to pings");
}

// A mask that the author of the payload cannot predict (RFC 6455, 10.3).
WsMask WebSocket::new_mask() {
  if (masks_.size() < sizeof(WsMask)) {
    stretch(masks_, kMasks);
    if (::getrandom(masks_.data(), kMasks, 0) != static_cast<ssize_t>(kMasks)) std::abort();
  }
  WsMask mask{};
  std::copy_n(masks_.end() - static_cast<std::ptrdiff_t>(mask.size()), mask.size(), mask.begin());
  masks_.resize(masks_.size() - mask.size());
  return mask;
}

void WebSocket::close(WsClose code, std::string_view why) {
  if (state_ == State::faulted) return report_fault();
  if (state_ != State::open) return;
  put_frame(WsOpcode::close, true, ws_close_payload(code, why));
  end_reported_ = true;
  end(State::closing, code, "");
  read_if_possible();
}

void WebSocket::answer_close() {
  const WsClose code = reader_.close_code();
  if (state_ == State::open) {
    const bool given = code != WsClose::none_given;
    put_frame(WsOpcode::close, true, given ? ws_close_payload(code, "") : "");
  }
  end(State::leaving, code, std::string(reader_.control()));
  end_when_written();
}

void WebSocket::fail(WsClose code, const std::string& why) {
  if (state_ != State::open) return end(State::failing, code, why);
  fault_ = ws_close_payload(code, why);
  end(State::faulted, code, why);
  if (state_ == State::faulted && !answering_) report_fault();
}

void WebSocket::report_fault() {
  put_frame(WsOpcode::close, true, fault_);
  closing_ = kNever;
  end(State::failing, WsClose::protocol_error, "");
}

// Changes to another state in which no message is accepted.
void WebSocket::end(State state, WsClose code, const std::string& why) {
  if (state_ == State::over) return;
  state_ = state;
  message_ = unanswered_ = next_ping_ = kNever;
  closing_ = std::min(closing_, here().now() + settings_.close_time);
  if (state == State::over) {
    finish();
  } else {
    arm();
  }
  if (!std::exchange(end_reported_, true)) receiver_->on_end(code, why);
}

void WebSocket::finish() {
  state_ = State::over;
  stream_.forget(*this);
  drop();
  input_.drop(input_.bytes().size());
  input_.release_if_empty();
  end_sending();
  over_.deliver(ok());
}

void WebSocket::end_sending() {
  if (!std::exchange(sending_ended_, true)) stream_.end_sending();
}

void WebSocket::end_when_written() {
  if (state_ == State::leaving && outbox_.empty()) finish();
}

void WebSocket::on_progress() {
  writing_ = outbox_.empty() ? kNever : here().now();
  if (state_ == State::failing && outbox_.empty()) end_sending();
  end_when_written();
  read_if_possible();
}

void WebSocket::go_on() {
  held_ = false;
  read_if_possible();
}

void WebSocket::read_if_possible() {
  if (!paused_ || held_back()) return;
  paused_ = false;
  read_soon();
}

Task<void> WebSocket::over(Deadline deadline) { co_return co_await over_.wait(deadline); }

Deadline WebSocket::next_deadline() const {
  const auto after = [](Deadline since, std::chrono::nanoseconds span) {
    return since == kNever ? kNever : since + span;
  };
  // A peer whose input we do not read, because it does not read ours, is not idle.
  const Deadline silent = paused_ ? kNever : after(unanswered_, settings_.pong);
  return std::min({next_ping_, silent, after(message_, settings_.message_time),
                   after(writing_, settings_.write_time), closing_});
}

// A deadline that has moved later is noticed when the timer fires; only an earlier one sets it.
void WebSocket::arm() {
  const Deadline next = next_deadline();
  if (next == kNever || (set() && armed_ <= next) || state_ == State::over) return;
  drop();
  armed_ = next;
  here().timers().set(*this, next);
}

void WebSocket::on_deadline() {
  const Deadline now = here().now();
  const auto passed = [now](Deadline since, std::chrono::nanoseconds span) {
    return since != kNever && since + span <= now;
  };
  armed_ = kNever;
  if (closing_ <= now && state_ == State::faulted) return report_fault();
  if (closing_ <= now) return end(State::over, WsClose::broken_off, "the peer did not close");
  if (passed(writing_, settings_.write_time)) {
    return end(State::over, WsClose::broken_off, "the peer does not read");
  }
  if (!paused_ && passed(unanswered_, settings_.pong)) {
    return fail(WsClose::internal, "a ping was not answered in time");
  }
  if (passed(message_, settings_.message_time)) {
    return fail(WsClose::policy, "a message took too long to arrive");
  }
  if (next_ping_ <= now) ping();
  arm();
}

void WebSocket::ping() {
  put_control(WsOpcode::ping, "");
  next_ping_ = here().now() + settings_.ping;
  if (unanswered_ == kNever) unanswered_ = here().now();
}

}  // namespace patchbay::net
