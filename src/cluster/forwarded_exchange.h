// A ForwardedExchange is a request that another node has forwarded. Its response goes back over the
// link, no further ahead of the client than kWindow bytes.
//
// Confined to the worker of the link.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "async/one_shot.h"
#include "cluster/link_frames.h"
#include "net/http/server/exchange.h"

namespace patchbay::cluster {

class ForwardedExchange final : public net::HttpExchange {
 public:
  // The link that it came on.
  class Link {
   public:
    virtual Result<void> send(std::string_view payload) = 0;

   protected:
    ~Link() = default;
  };

  struct Bounds {
    std::chrono::nanoseconds write_time = std::chrono::seconds(30);
    std::size_t stream_buffer = 1 << 20;
  };

  // REQUIRES: everything referred to outlives it.
  ForwardedExchange(Link& link, std::uint32_t stream, const net::HttpRequest& asked,
                    const net::HttpPeer& from, Stop& idle_stop, bool secure, const Bounds& bounds)
      : HttpExchange(asked, from, idle_stop),
        link_(link),
        stream_(stream),
        secure_(secure),
        bounds_(bounds) {}

  bool forwarded() const override { return true; }
  bool secure() const override { return secure_; }
  Task<void> answer(int status, std::string_view type,
                    std::initializer_list<std::string_view> parts,
                    std::string_view fields = {}) override;
  // A connection is not forwarded, so this fails.
  Task<Upgraded> switch_protocols(std::string_view fields) override;

  void begin_stream(std::string_view fields = {}) override;
  bool streaming() const override { return streaming_; }
  Result<void> put(std::initializer_list<std::string_view> parts) override;
  Result<void> put_answer(std::initializer_list<std::string_view> parts) override;
  bool congested(std::size_t more = 0) const override {
    return streaming_ && size() > 0 && size() + more > bounds_.stream_buffer / 2;
  }
  void log_dropped() override;
  bool stalled() override;
  bool full() const override { return streaming_ && size() > bounds_.stream_buffer; }
  Task<void> room() override { return at_most(bounds_.stream_buffer); }
  Task<void> drained() override { return at_most(0); }
  Task<void> end_stream() override;
  void watch_hangup(net::Source::Hangup* hangup) override;
  std::chrono::nanoseconds write_timeout() const override { return bounds_.write_time; }
  void cut_off() override { cut_off_ = true; }

  void pass_back(std::uint64_t node) override;
  bool answered() const { return answered_; }

  // What the other node says.
  void on_credit(std::size_t bytes);
  void on_left();

 private:
  std::size_t size() const { return queue_.size() - taken_ + sent_; }
  void add(std::initializer_list<std::string_view> parts);
  void pump();
  void send(std::string_view payload);
  Task<void> at_most(std::size_t bytes);

  Link& link_;
  const std::uint32_t stream_;
  const bool secure_;
  const Bounds bounds_;
  std::string queue_;
  std::size_t taken_ = 0;  // How much of the front of it has been sent...
  std::size_t sent_ = 0;   // ...and how much of that the client has not taken.
  Deadline moved_{};       // When the client last took something, or nothing was queued.
  net::Source::Hangup* hangup_ = nullptr;
  std::vector<OneShot<void>*> waiting_;
  bool streaming_ = false;
  bool answered_ = false;
  bool left_ = false;    // The client has disconnected.
  bool broken_ = false;  // The link.
  bool cut_off_ = false;
  bool logged_dropped_ = false;
};

}  // namespace patchbay::cluster
