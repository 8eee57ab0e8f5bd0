// An HttpChannel is a Channel to a server that speaks Streamable HTTP: each message is posted, and
// what comes back, as one JSON text or as an event stream, is received.
//
// Confined to the thread that made it.
#pragma once

#include <string>

#include "core/scope.h"
#include "net/http_pool.h"
#include "transport/channel.h"

namespace patchbay::transport {

class HttpChannel final : public Channel {
 public:
  // `tls` may be null if the URL is plain.
  HttpChannel(const net::Url& url, std::shared_ptr<const net::TlsContext> tls, Deadline deadline)
      : pool_(url, std::move(tls), {}), deadline_(deadline) {}

  void start(Listener& listener) override { listener_ = &listener; }
  Result<void> send(std::string_view message) override;
  void close_sending() override {}
  void close() override;

  // Ends the session at the server, if there is one, and waits for what is under way.
  Task<void> finish();

 private:
  Task<void> post(std::string message);
  Task<void> receive(net::HttpResponse& response);
  Task<void> receive_events(net::HttpResponse& response);
  void received(std::string_view message);
  std::string fields() const;

  net::HttpPool pool_;
  const Deadline deadline_;
  Listener* listener_ = nullptr;
  Scope posts_;
  std::string session_;
  std::string revision_;  // Agreed in the handshake.
  bool closed_ = false;
};

}  // namespace patchbay::transport
