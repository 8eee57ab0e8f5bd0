#include "transport/ws_channel.h"

#include <fmt/format.h>

namespace patchbay::transport {

std::string ws_reason(net::WsClose code, const std::string& why) {
  if (code == net::WsClose::broken_off) return why;
  if (code == net::WsClose::none_given) return "the peer closed the WebSocket";
  return fmt::format("the WebSocket was closed with {}{}{}", static_cast<int>(code),
                     why.empty() ? "" : ": ", why);
}

void WsChannel::start(Listener& listener) {
  listener_ = &listener;
  socket_.start(*this);
}

Result<void> WsChannel::send(std::string message, const Sending& /*how*/) {
  if (closed_) return Error{Code::unavailable, "the channel is closed"};
  return socket_.send(message);
}

void WsChannel::close() {
  closed_ = true;
  socket_.close(net::WsClose::normal, "");
}

void WsChannel::on_text(std::string& text) {
  if (!closed_) listener_->on_whole_message(std::move(text), 0);
}

void WsChannel::on_end(net::WsClose code, const std::string& why) {
  if (!closed_) listener_->on_closed(ws_reason(code, why));
}

}  // namespace patchbay::transport
