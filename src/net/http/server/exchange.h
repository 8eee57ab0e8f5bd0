// An HttpExchange is one request and the means to answer it, as a frontend sees them.
//
// Confined to the worker of its connection; valid until the handler returns.
#pragma once

#include <chrono>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>

#include "core/principal.h"
#include "net/http/syntax/parse.h"
#include "net/io/input_buffer.h"
#include "net/io/peer_address.h"
#include "net/stream/outbox.h"
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
  HttpExchange(HttpRequest& asked, Stream& connection, const HttpPeer& caller, Stop& idle_stop,
               std::chrono::nanoseconds write_timeout, std::size_t stream_bound)
      : request(asked),
        stream(connection),
        peer(caller),
        idle(idle_stop),
        write_time_(write_timeout),
        stream_buffer_(stream_bound) {}

  const HttpRequest& request;
  std::string_view body;
  Caller caller = {};                 // Null only on open routes.
  std::optional<Error> refused = {};  // On an open route: why credentials were not accepted.
  trace::Lapse authenticated = {};    // How long that took, if the guard is timed.
  // The context of a trace in its headers, once a frontend has read it...
  std::optional<trace::ReceivedContext> context = {};
  // ...and the lists in it that came in several fields; null: none did.
  std::unique_ptr<trace::OwnedContext> joined_context = nullptr;
  Stream& stream;
  const HttpPeer& peer;
  Stop& idle;  // Requested when the server stops: streams without a call should end.

  // Answers whole, in one write. `fields` are further header lines, each with its CRLF.
  Task<void> answer(int status, std::string_view type,
                    std::initializer_list<std::string_view> parts, std::string_view fields = {});

  // The handler needs nothing more of the request, so its memory can be released. For streams that
  // stay open and idle for long.
  void forget_request() {
    if (input_) input_->release_if_empty();
  }

  // The input of the connection after the request. Set by the connection.
  void set_input(InputBuffer& input) { input_ = &input; }

  // Answers 101: from now on only the handler reads and writes the stream, and bytes that have
  // already arrived are in input(). When it returns, the connection closes. REQUIRES: the request
  // is not used any more.
  Task<void> switch_protocols(std::string_view fields);
  InputBuffer& input() { return *input_; }

  // Begins an event stream; event() adds each event. The head is sent with the first one.
  void begin_stream(std::string_view fields = {});
  bool streaming() const { return stream_.has_value(); }

  // Queues an event that the reader did not request. Fails when the reader has disconnected or is
  // too slow (limits.max_stream_buffer_size), which is logged once.
  Result<void> put(std::initializer_list<std::string_view> parts);

  // Queues an event that the reader has requested. It waits for the reader, who gets
  // limits.write_timeout for each step; only the memory limit refuses it.
  Result<void> put_answer(std::initializer_list<std::string_view> parts);

  // The reader of the stream lags: `more` optional bytes should not be sent.
  bool congested(std::size_t more = 0) const {
    return stream_ && !stream_->empty() && stream_->size() + more > stream_buffer_ / 2;
  }
  // An optional event was not sent, because the reader lags. Logged once per stream.
  void log_dropped();

  // If the reader has read nothing for limits.write_timeout, logs that once per stream.
  bool stalled();

  // More is queued than a slow reader may cost: new work for it should wait for room().
  bool full() const { return stream_ && stream_->over_bound(); }
  Task<void> room();

  // Waits until everything queued so far is written.
  Task<void> drained();

  // Waits until everything is written and ends the stream. The connection can be reused.
  Task<void> end_stream();

  bool answered() const { return answered_; }
  std::chrono::nanoseconds write_timeout() const { return write_time_; }

  // The connection closes after this exchange.
  void close_after() { keep_alive_ = false; }
  // The stream is incomplete. It ends without its last chunk, so that the client notices.
  void cut_off() {
    close_after();
    cut_off_ = true;
  }
  bool keep_alive() const { return keep_alive_; }
  void set_keep_alive(bool keep_alive) { keep_alive_ = keep_alive; }

  // Header lines of every response, each with its CRLF.
  void add_fields(std::string_view fields) { fields_ += fields; }

 private:
  // Has capacity for a body of `body_size` too.
  std::string head(int status, std::string_view type, std::string_view fields,
                   std::size_t body_size = 0) const;
  std::string piece_of(std::initializer_list<std::string_view> parts) const;
  void log_stalled();
  void log_cut_off(const Result<void>& written, std::size_t size) const;

  const std::chrono::nanoseconds write_time_;
  const std::size_t stream_buffer_;
  std::optional<Outbox> stream_;
  InputBuffer* input_ = nullptr;
  std::string fields_;
  bool answered_ = false;
  bool cut_off_ = false;
  bool keep_alive_ = true;
  bool logged_dropped_ = false;
  bool logged_stalled_ = false;
};

std::string_view reason_phrase(int status);

}  // namespace patchbay::net
