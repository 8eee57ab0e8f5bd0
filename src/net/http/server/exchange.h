// An HttpExchange is one request and the way to answer it, as a front end sees them.
//
// Confined to the worker of its connection; lives until the handler returns.
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

namespace patchbay::net {

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kEventStream = "text/event-stream";

// Who is at the other end of a connection.
struct HttpPeer {
  PeerAddress address;
  std::string ip;                                        // Of the address, as text.
  std::unique_ptr<const TlsPeer> certificate = nullptr;  // Null: it has shown none.
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
  Caller who = {};  // Null only on open routes.
  Stream& stream;
  const HttpPeer& peer;
  Stop& idle;  // Requested when the server stops: streams without a call should end.

  // Answers whole, in one write. `fields` are further header lines, each with its CRLF.
  Task<void> answer(int status, std::string_view type,
                    std::initializer_list<std::string_view> parts, std::string_view fields = {});

  // The handler has read all it needs of the request, whose memory may go. For streams that stay
  // open long with nothing to say.
  void forget_request() {
    if (input_) input_->release_if_empty();
  }

  // The bytes of the connection beyond the request. Said by the connection.
  void set_input(InputBuffer& input) { input_ = &input; }

  // Answers 101: from here on the handler alone reads and writes the stream, and what has come
  // already is in input(). When it returns, the connection closes. REQUIRES: the request is not
  // looked at any more.
  Task<void> switch_protocols(std::string_view fields);
  InputBuffer& input() { return *input_; }

  // Begins an event stream; put each event with event(). The head leaves with the first of them.
  void begin_stream(std::string_view fields = {});
  bool streaming() const { return stream_.has_value(); }

  // Queues bytes of the stream. Fails when the reader has gone or is too slow.
  Result<void> put(std::initializer_list<std::string_view> parts);

  // The reader of the stream lags: what can be done without should be.
  bool congested() const { return stream_ && stream_->size() > stream_buffer_ / 2; }

  // Waits until what was put so far is written.
  Task<void> drained();

  // Waits until everything is written and ends the stream. The connection can be used again.
  Task<void> end_stream();

  bool answered() const { return answered_; }

  // The connection closes after this exchange.
  void close_after() { keep_alive_ = false; }
  bool keep_alive() const { return keep_alive_; }
  void set_keep_alive(bool keep_alive) { keep_alive_ = keep_alive; }

  // Header lines of the answer, whoever gives it; each with its CRLF.
  void add_fields(std::string_view fields) { fields_ += fields; }

 private:
  std::string head(int status, std::string_view type, std::string_view fields) const;

  const std::chrono::nanoseconds write_time_;
  const std::size_t stream_buffer_;
  std::optional<Outbox> stream_;
  InputBuffer* input_ = nullptr;
  std::string fields_;
  bool answered_ = false;
  bool keep_alive_ = true;
};

std::string_view reason_phrase(int status);

}  // namespace patchbay::net
