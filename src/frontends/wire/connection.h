// A WireConnection is one client of the wire protocol on TCP, from its first frame to its last.
//
// Confined to its worker; owned by the task that serves it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "frontends/wire/session.h"
#include "transport/wire/frame_connection.h"

namespace patchbay::frontends {

class WireConnection final : WireSink, transport::FrameConnection::Listener {
 public:
  struct Times {
    std::chrono::nanoseconds write;  // For the unsent rest at the end.
    std::chrono::nanoseconds grace;  // For calls of a client that has ended its side.
  };

  // REQUIRES: `stream` is ready to be used, and outlives the connection, as does the host.
  WireConnection(WireHost& host, net::Stream& stream, const net::PeerAddress& from,
                 const Times& times);

  // Serves until the client disconnects or breaks the protocol, or `idle` is requested.
  Task<void> run(Stop& idle);

 private:
  Result<void> send(std::string_view text, Kind kind) override;
  std::size_t most() const override;
  bool in_pieces() const override { return true; }

  Task<void> on_frame(wire::FrameType type, std::string_view payload) override;
  Task<void> on_data(std::string_view payload);

  // Ends reading; no client is left to answer.
  void give_up();
  Task<void> send_close(std::string_view why);
  Task<void> linger();

  net::Stream& stream_;
  const Times times_;
  const std::shared_ptr<WireState> state_;
  transport::FrameConnection frames_;
  WireSession session_;
  Stop reading_;
  std::optional<Error>
      refused_;        // The reason for closing the connection, which the client has received.
  bool gone_ = false;  // The client does not read, or has disconnected.
  bool bare_ = false;  // Its payloads are MCP messages without an envelope.
};

}  // namespace patchbay::frontends
