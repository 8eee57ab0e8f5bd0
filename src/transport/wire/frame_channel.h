// A FrameChannel is the client's side of a connection of frames as a Channel of texts: messages are
// sent in DATA frames, and DATA and ERROR frames are received as messages.
//
// Confined to the worker that made it.
#pragma once

#include <memory>
#include <string>

#include "async/scope.h"
#include "transport/channel.h"
#include "transport/wire/frame_connection.h"

namespace patchbay::transport {

class FrameChannel final : public Channel, FrameConnection::Listener {
 public:
  FrameChannel(std::unique_ptr<net::Stream> stream, const FrameSettings& settings)
      : stream_(std::move(stream)), frames_(*stream_, settings) {}

  void start(Channel::Listener& listener) override;
  using Channel::send;
  Result<void> send(std::string message, const Sending& how) override;
  void close_sending() override;
  void close() override;

  // Waits until no task runs any more. REQUIRES: close() was called.
  Task<void> finish();

 private:
  Task<void> serve();
  Task<void> on_frame(wire::FrameType type, std::string_view payload) override;

  const std::unique_ptr<net::Stream> stream_;
  FrameConnection frames_;
  Channel::Listener* listener_ = nullptr;
  bool closed_ = false;
  Scope scope_;
};

}  // namespace patchbay::transport
