// A WsChannel is a Channel over a WebSocket that carries plain MCP messages, one in each text, as
// the subprotocol `mcp` defines. Both sides use it.
//
// Confined to the worker of its socket.
#pragma once

#include <string>

#include "net/websocket/socket.h"
#include "transport/channel.h"

namespace patchbay::transport {

class WsChannel final : public Channel, net::WebSocket::Receiver {
 public:
  // REQUIRES: `socket` outlives the channel and has not been started.
  explicit WsChannel(net::WebSocket& socket) : socket_(socket) {}

  void start(Listener& listener) override;
  using Channel::send;
  Result<void> send(std::string message, const Sending& how) override;
  void close_sending() override { close(); }
  void close() override;

 private:
  void on_text(std::string& text) override;
  void on_end(net::WsClose code, const std::string& why) override;

  net::WebSocket& socket_;
  Listener* listener_ = nullptr;
  bool closed_ = false;
};

// Why a WebSocket has ended, as a sentence.
std::string ws_reason(net::WsClose code, const std::string& why);

}  // namespace patchbay::transport
