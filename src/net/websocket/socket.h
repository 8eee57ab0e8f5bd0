// A WebSocket is one upgraded connection, on either side: whole text messages in both directions,
// pings that detect a dead peer, and the closing handshake. The settings limit the cost of slow and
// idle peers.
//
// Confined to the thread of its stream.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "async/liveness.h"
#include "async/one_shot.h"
#include "net/io/input_buffer.h"
#include "net/stream/outbox.h"
#include "net/websocket/frame.h"

namespace patchbay::net {

struct WebSocketSettings {
  WsLimits limits;
  std::size_t outbox = 1 << 20;  // Bytes that may be queued for a peer that does not read.
  std::chrono::nanoseconds ping = std::chrono::seconds(30);  // How often; 0: never.
  std::chrono::nanoseconds pong = std::chrono::seconds(60);  // How long a ping may go unanswered.
  std::chrono::nanoseconds message_time = std::chrono::seconds(30);  // From its first byte on.
  std::chrono::nanoseconds write_time = std::chrono::seconds(30);    // For each step forward.
  std::chrono::nanoseconds close_time = std::chrono::seconds(5);     // For the peer to agree.
};

class WebSocket final : Source::Waiter, Timer {
 public:
  // The user of the socket. Must not destroy it from inside a call; close() is fine.
  class Receiver {
   public:
    // One message, which may be moved from.
    virtual void on_text(std::string& text) = 0;
    // No message follows. Called once, whichever side ended the connection, but not after our
    // close(). A peer that has violated the protocol is sent the reason after this; answer_first()
    // delays that.
    virtual void on_end(WsClose code, const std::string& why) = 0;

   protected:
    ~Receiver() = default;
  };

  // `input` holds what arrived after the handshake. REQUIRES: both outlive the socket.
  WebSocket(Stream& stream, InputBuffer& input, WsSide side, const WebSocketSettings& settings);
  ~WebSocket() override;

  // Begins to receive. REQUIRES: called once; the receiver outlives the socket.
  void start(Receiver& receiver);

  // Queues a message. Code::overloaded if the peer does not keep up, Code::unavailable if the
  // socket is closed.
  Result<void> send(std::string_view text);

  // Ends our side after the queued data, and waits for the peer's close frame.
  void close(WsClose code, std::string_view why);

  // Messages that arrived before the peer violated the protocol are answered first: the close frame
  // is sent by close(), or when settings.close_time has passed. REQUIRES: called from on_end().
  void answer_first() { answering_ = state_ == State::faulted; }

  // Accepts no further message until go_on().
  void hold() { held_ = true; }
  void go_on();

  // Waits until both sides have closed, or the peer has had its time to, or until `deadline`.
  Task<void> over(Deadline deadline = kNever);

  // Messages can be sent.
  bool open() const { return state_ == State::open || state_ == State::faulted; }

  // The peer lags: optional messages should not be sent.
  bool congested() const { return outbox_.size() > settings_.outbox / 2; }

 private:
  enum class State : std::uint8_t {
    open,
    faulted,  // The peer has violated the protocol; the close frame is not sent yet.
    closing,  // We have closed; the peer has not.
    failing,  // The peer has violated the protocol and the close frame is sent: its input is
              // ignored.
    leaving,  // Both have closed; our last frames are being sent.
    over,
  };

  void on_ready() override { read(); }
  void on_deadline() override;
  void on_progress();
  void read();
  void read_soon();
  void read_if_possible();
  bool take_input();
  void take_step(WsReader::Kind kind);
  void answer_close();
  void fail(WsClose code, const std::string& why);
  void report_fault();
  void put_frame(WsOpcode opcode, bool last, std::string_view payload);
  void put_control(WsOpcode opcode, std::string_view payload);
  void end(State state, WsClose code, const std::string& why);
  void finish();
  void end_sending();
  void end_when_written();
  Deadline next_deadline() const;
  void arm();
  void ping();
  WsMask new_mask();
  bool held_back() const { return state_ == State::open && (held_ || congested()); }

  Stream& stream_;
  InputBuffer& input_;
  const WsSide side_;
  const WebSocketSettings settings_;
  Receiver* receiver_ = nullptr;
  Outbox outbox_;
  WsReader reader_;
  State state_ = State::open;
  std::string fault_;       // The close frame's payload for a peer that has violated the protocol,
  bool answering_ = false;  // earlier messages are answered first.
  bool end_reported_ = false;  // The receiver knows that nothing more will arrive.
  bool held_ = false;
  bool paused_ = false;  // Nothing is read for now.
  bool sending_ended_ = false;
  std::size_t dropped_ = 0;  // Bytes that arrived after a protocol error.
  Deadline next_ping_ = kNever;
  Deadline unanswered_ = kNever;  // Since when a ping is.
  Deadline message_ = kNever;     // Since when a message is being received.
  Deadline writing_ = kNever;     // Since when nothing has been sent although something is queued.
  Deadline closing_ = kNever;     // By when it must be over.
  Deadline armed_ = kNever;
  std::string masks_;  // Random bytes for the masks of a client.
  OneShot<void> over_;
  const Liveness liveness_;
};

}  // namespace patchbay::net
