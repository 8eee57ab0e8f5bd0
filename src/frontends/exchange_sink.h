// The open connection of a client whose response is an event stream: an object to write events to,
// which ends when the client disconnects, lags too far behind, or the server stops.
//
// Confined to the worker of the connection.
#pragma once

#include <string_view>

#include "async/one_shot.h"
#include "gateway/event_stream.h"
#include "net/http/server/exchange.h"

namespace patchbay::frontends {

inline constexpr std::string_view kSseComment = ":\n\n";

// Outlived by the stream that writes to it.
class ExchangeSink final : public gateway::EventSink {
 public:
  explicit ExchangeSink(net::HttpExchange& exchange) : EventSink(here()), exchange_(&exchange) {}

  void on_event(std::string_view frame, gateway::EventKind kind) override;
  void on_end() override;

  // The exchange is over; nothing more may be written to it.
  void disconnect() { exchange_ = nullptr; }

  // Waits until the stream or the connection has ended, at most until `deadline` (Code::timeout).
  Task<void> wait_end(Deadline deadline);
  bool ended() const { return ended_; }

  // Waits until the end, and sends a comment every `keep_alive`. A client that does not read ends
  // it.
  Task<void> stay_open(std::chrono::nanoseconds keep_alive);

 private:
  net::HttpExchange* exchange_;
  bool ended_ = false;
  OneShot<void>* waiting_ = nullptr;
};

// Ends the sink when its client leaves or the server stops.
class StreamGuard final : net::Source::Hangup, Stop::Hook {
 public:
  StreamGuard(net::HttpExchange& exchange, ExchangeSink& sink);
  ~StreamGuard() override { exchange_.watch_hangup(nullptr); }

  // True if the client ended it.
  bool left() const { return left_; }

 private:
  void on_hangup() override;
  void on_stop() override { sink_.on_end(); }

  net::HttpExchange& exchange_;
  ExchangeSink& sink_;
  bool left_ = false;
};

}  // namespace patchbay::frontends
