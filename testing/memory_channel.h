// A MemoryChannel is one end of a Channel in memory, for tests. It behaves like a pipe: messages
// arrive in order, in a later turn of the executor; the text of a message is valid during the call
// only and is overwritten after it; messages sent before an end is closed still arrive; a full
// channel refuses.
//
// Confined to the executor of the test. REQUIRES: both ends exist while messages are on their way.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "async/executor.h"
#include "async/liveness.h"
#include "transport/channel.h"

namespace patchbay::testing {

class MemoryChannel final : public transport::Channel {
 public:
  MemoryChannel() = default;

  // The other end. Called once, on one of the two.
  void connect(MemoryChannel& peer) {
    peer_ = &peer;
    peer.peer_ = this;
  }

  // How many messages may be on their way to the other end.
  void set_room(std::size_t room) { room_ = room; }

  // The transport reports that request `id` was not accepted because the session has ended, as HTTP
  // channels do.
  void forget_session(std::uint64_t id) {
    listener_->on_lost(id, Error{Code::unavailable, "the session is not known"});
    listener_->on_forgotten();
  }

  void start(Listener& listener) override {
    listener_ = &listener;
    for (std::size_t i = 0; i < arrived_.size(); ++i) deliver_soon();
  }

  using Channel::send;
  Result<void> send(std::string message, const transport::Sending&) override {
    if (sending_ended_ || !peer_ || peer_->closed_) {
      return Error{Code::unavailable, "the other end is closed"};
    }
    if (peer_->arrived_.size() >= room_) {
      return Error{Code::overloaded, "the other end does not read"};
    }
    peer_->arrive({std::move(message), false});
    return ok();
  }

  void close_sending() override { end_sending("the other end is closed"); }

  void close() override {
    end_sending("the other end is closed");
    closed_ = true;
  }

  // Like close_sending(), with another reason.
  void end_sending(std::string why) {
    if (std::exchange(sending_ended_, true) || !peer_) return;
    peer_->arrive({std::move(why), true});
  }

 private:
  struct Arrival {
    std::string text;
    bool is_end = false;  // The text is the reason.
  };

  void arrive(Arrival arrival) {
    arrived_.push_back(std::move(arrival));
    if (listener_) deliver_soon();
  }

  void deliver_soon() {
    here().post([this, alive = liveness_.watch()] {
      if (!alive.expired()) deliver();
    });
  }

  void deliver() {
    if (arrived_.empty()) return;
    Arrival next = std::move(arrived_.front());
    arrived_.pop_front();
    if (closed_) return;
    if (next.is_end) {
      listener_->on_closed(next.text);
      return;
    }
    listener_->on_message(next.text, 0);
    next.text.assign(next.text.size(), '#');
  }

  MemoryChannel* peer_ = nullptr;
  Listener* listener_ = nullptr;
  std::deque<Arrival> arrived_;
  std::size_t room_ = 1'000;
  bool sending_ended_ = false;
  bool closed_ = false;
  const Liveness liveness_;
};

}  // namespace patchbay::testing
