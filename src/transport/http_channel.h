// An HttpChannel is a Channel to a server that speaks Streamable HTTP: each message is posted, and
// what comes back, as one JSON text or as an event stream, is received.
//
// Confined to the thread that made it.
#pragma once

#include <string>

#include "core/scope.h"
#include "net/http_client.h"
#include "transport/channel.h"

namespace patchbay::transport {

class HttpChannel final : public Channel {
 public:
  HttpChannel(net::Url url, Deadline deadline) : url_(std::move(url)), deadline_(deadline) {}

  void start(Listener& listener) override { listener_ = &listener; }
  using Channel::send;
  Result<void> send(std::string message, const Sending& how) override;
  void close_sending() override {}
  void close() override;

  // Ends the session at the server, if there is one, and waits for what is under way.
  Task<void> finish();

 private:
  Task<void> post(std::string message);
  Task<void> receive(net::HttpClient& client);
  Task<void> receive_events(net::HttpClient& client);
  void received(std::string_view message);
  std::string fields() const;

  const net::Url url_;
  const Deadline deadline_;
  Listener* listener_ = nullptr;
  Scope posts_;
  std::string session_;
  std::string revision_;  // Agreed in the handshake.
  bool closed_ = false;
};

}  // namespace patchbay::transport
