// A ConnectionExchange is an HttpExchange of a connection: responses are written to it as HTTP/1.1.
//
// Confined to the worker of its connection.
#pragma once

#include <optional>
#include <string>

#include "net/http/server/exchange.h"
#include "net/stream/outbox.h"

namespace patchbay::net {

class ConnectionExchange final : public HttpExchange {
 public:
  // REQUIRES: everything referred to outlives the exchange.
  struct Connection {
    Stream& stream;
    InputBuffer& input;  // What arrived after the request.
    const HttpPeer& peer;
    Stop& idle;
  };
  ConnectionExchange(const HttpRequest& asked, const Connection& connection,
                     std::chrono::nanoseconds write_timeout, std::size_t stream_bound)
      : HttpExchange(asked, connection.peer, connection.idle),
        connection_(connection.stream),
        input_(connection.input),
        write_time_(write_timeout),
        stream_buffer_(stream_bound) {}

  bool secure() const override { return connection_.secure(); }
  // In one write.
  Task<void> answer(int status, std::string_view type,
                    std::initializer_list<std::string_view> parts,
                    std::string_view fields = {}) override;
  void forget_request() override { input_.release_if_empty(); }
  Task<Upgraded> switch_protocols(std::string_view fields) override;

  void begin_stream(std::string_view fields = {}) override;
  bool streaming() const override { return stream_.has_value(); }
  Result<void> put(std::initializer_list<std::string_view> parts) override;
  Result<void> put_answer(std::initializer_list<std::string_view> parts) override;
  bool congested(std::size_t more = 0) const override {
    return stream_ && !stream_->empty() && stream_->size() + more > stream_buffer_ / 2;
  }
  void log_dropped() override;
  bool stalled() override;
  bool full() const override { return stream_ && stream_->over_bound(); }
  Task<void> room() override;
  Task<void> drained() override;
  Task<void> end_stream() override;
  void watch_hangup(Source::Hangup* hangup) override { connection_.watch_hangup(hangup); }
  std::chrono::nanoseconds write_timeout() const override { return write_time_; }
  // It ends without its last chunk.
  void cut_off() override {
    close_after();
    cut_off_ = true;
  }

  bool answered() const { return answered_; }

  // The connection closes after this exchange.
  void close_after() { keep_alive_ = false; }
  bool keep_alive() const { return keep_alive_; }
  void set_keep_alive(bool keep_alive) { keep_alive_ = keep_alive; }

 private:
  // Has capacity for a body of `body_size` too.
  std::string head(int status, std::string_view type, std::string_view fields,
                   std::size_t body_size = 0) const;
  std::string piece_of(std::initializer_list<std::string_view> parts) const;
  void log_stalled();
  void log_cut_off(const Result<void>& written, std::size_t size) const;

  Stream& connection_;
  InputBuffer& input_;
  const std::chrono::nanoseconds write_time_;
  const std::size_t stream_buffer_;
  std::optional<Outbox> stream_;
  bool answered_ = false;
  bool cut_off_ = false;
  bool keep_alive_ = true;
  bool logged_dropped_ = false;
  bool logged_stalled_ = false;
};

}  // namespace patchbay::net
