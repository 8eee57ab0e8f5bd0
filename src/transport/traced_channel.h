// A TracedChannel is a Channel that shows in the log what goes over another one, whole: for looking
// at a conversation while debugging, and only then, since messages may hold secrets.
//
// Confined to the worker of the other channel.
#pragma once

#include "observe/log.h"
#include "transport/channel.h"

namespace patchbay::transport {

class TracedChannel final : public Channel, Channel::Listener {
 public:
  // REQUIRES: `channel` outlives this.
  explicit TracedChannel(Channel& channel) : channel_(channel) {}

  void start(Channel::Listener& listener) override {
    listener_ = &listener;
    channel_.start(*this);
  }
  Result<void> send(std::string message, const Sending& how) override {
    log::Line(log::Level::debug, "mcp").add("sent", message);
    return channel_.send(std::move(message), how);
  }
  void close_sending() override { channel_.close_sending(); }
  void close() override { channel_.close(); }

 private:
  void on_message(std::string_view message, std::uint64_t cause) override {
    log::Line(log::Level::debug, "mcp").add("received", message);
    listener_->on_message(message, cause);
  }
  void on_closed(const std::string& why) override { listener_->on_closed(why); }

  Channel& channel_;
  Channel::Listener* listener_ = nullptr;
};

}  // namespace patchbay::transport
