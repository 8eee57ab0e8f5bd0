// An OutgoingLink is the connection of one worker to another node, and the requests on it.
//
// Confined to its worker; owned by the Forwarder.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "cluster/link.h"
#include "cluster/link_frames.h"
#include "net/http/server/exchange.h"
#include "transport/wire/frame_connection.h"

namespace patchbay::cluster {

class OutgoingLink final : transport::FrameConnection::Listener {
 public:
  OutgoingLink(const Member& member, LinkSettings settings)
      : member_(member), settings_(std::move(settings)) {}

  // Connects and reads until the connection ends, or the task is stopped.
  Task<void> serve();

  Task<Forwarded> forward(net::HttpExchange& exchange);

  bool ended() const { return ended_; }

 private:
  class Stream;

  Task<void> connect();
  Task<void> ready();
  Task<void> send_request(net::HttpExchange& exchange, std::uint32_t stream);
  Result<void> send(std::string_view payload);
  Task<void> on_frame(wire::FrameType type, std::string_view payload) override;
  void end_all(const Error& why);

  const Member member_;
  const LinkSettings settings_;
  std::unique_ptr<net::Stream> stream_;
  std::unique_ptr<transport::FrameConnection> frames_;  // Null: not connected yet.
  std::unordered_map<std::uint32_t, Stream*> streams_;
  std::uint32_t next_ = 1;
  bool ended_ = false;
  Error why_;  // Why it has ended.
  std::deque<OneShot<void>*> connecting_;
};

}  // namespace patchbay::cluster
