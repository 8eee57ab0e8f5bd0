// An HttpExchange is one request and the means to answer it, as a frontend sees them. A request
// arrives on a connection (connection_exchange.h), or another node of the cluster forwards it.
//
// Confined to the worker that answers it; valid until the handler returns.
#pragma once

#include <chrono>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/principal.h"
#include "net/http/syntax/parse.h"
#include "net/io/input_buffer.h"
#include "net/io/peer_address.h"
#include "net/io/source.h"
#include "net/stream/stream.h"
#include "net/tls/peer.h"
#include "trace/call_trace.h"

namespace patchbay::net {

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kEventStream = "text/event-stream";

// The client of a request.
struct HttpPeer {
  PeerAddress address;   // The address of the client, as named proxies state it.
  std::string ip;        // The same as text.
  PeerAddress hop = {};  // Of the other end of the connection: the client or the last proxy.
  std::unique_ptr<const TlsPeer> certificate = nullptr;  // Null: the client has presented none.
};

class HttpExchange {
 public:
  HttpExchange(const HttpRequest& asked, const HttpPeer& caller, Stop& idle_stop)
      : request(asked), peer(caller), idle(idle_stop) {}
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;
  virtual ~HttpExchange() = default;

  const HttpRequest& request;
  std::string_view body;
  Caller caller = {};                 // Null only on open routes.
  std::optional<Error> refused = {};  // On an open route: why credentials were not accepted.
  trace::Lapse authenticated = {};    // How long that took, if the guard is timed.
  // The context of a trace in its headers, once a frontend has read it...
  std::optional<trace::ReceivedContext> context = {};
  // ...and the lists in it that came in several fields; null: none did.
  std::unique_ptr<trace::OwnedContext> joined_context = nullptr;
  const HttpPeer& peer;
  Stop& idle;  // Requested when the server stops: streams without a call should end.

  // Another node of the cluster has forwarded it.
  virtual bool forwarded() const { return false; }
  // Nothing of it has run, and it belongs to another node. REQUIRES: forwarded().
  virtual void pass_back(std::uint64_t /*node*/) {}

  // The client's connection has TLS.
  virtual bool secure() const = 0;

  // Answers whole. `fields` are further header lines, each with its CRLF.
  virtual Task<void> answer(int status, std::string_view type,
                            std::initializer_list<std::string_view> parts,
                            std::string_view fields = {}) = 0;

  // The handler needs nothing more of the request, so its memory can be released. For streams that
  // stay open and idle for long.
  virtual void forget_request() {}

  // A connection that belongs to the handler alone.
  struct Upgraded {
    Stream& stream;
    InputBuffer& input;  // Bytes that have already arrived.
  };
  // Answers 101: from now on only the handler reads and writes the connection. When it returns, the
  // connection closes. REQUIRES: the request is not used any more.
  virtual Task<Upgraded> switch_protocols(std::string_view fields) = 0;

  // Begins an event stream; put() adds each event. The head is sent with the first one.
  virtual void begin_stream(std::string_view fields = {}) = 0;
  virtual bool streaming() const = 0;

  // Queues an event that the reader did not request. Fails when the reader has disconnected or is
  // too slow (limits.max_stream_buffer_size), which is logged once.
  virtual Result<void> put(std::initializer_list<std::string_view> parts) = 0;

  // Queues an event that the reader has requested. It waits for the reader, who gets
  // limits.write_timeout for each step; only the memory limit refuses it.
  virtual Result<void> put_answer(std::initializer_list<std::string_view> parts) = 0;

  // The reader of the stream lags: `more` optional bytes should not be sent.
  virtual bool congested(std::size_t more = 0) const = 0;
  // An optional event was not sent, because the reader lags. Logged once per stream.
  virtual void log_dropped() = 0;

  // If the reader has read nothing for limits.write_timeout, logs that once per stream.
  virtual bool stalled() = 0;

  // More is queued than a slow reader may cost: new work for it should wait for room().
  virtual bool full() const = 0;
  virtual Task<void> room() = 0;

  // Waits until everything queued so far is written.
  virtual Task<void> drained() = 0;

  // Waits until everything is written and ends the stream. The connection can be reused.
  virtual Task<void> end_stream() = 0;

  // At most one; null to remove it. Called when the client disconnects, at once if it has already.
  virtual void watch_hangup(Source::Hangup* hangup) = 0;

  virtual std::chrono::nanoseconds write_timeout() const = 0;

  // The stream is incomplete. It ends so that the client notices.
  virtual void cut_off() = 0;

  // Header lines of every response, each with its CRLF.
  void add_fields(std::string_view fields) { fields_ += fields; }

 protected:
  std::string fields_;
};

std::string_view reason_phrase(int status);

}  // namespace patchbay::net
