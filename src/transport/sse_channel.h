// An SseChannel is a Channel to a server of the first revision's HTTP+SSE: one event stream carries
// everything that the server sends, and our messages are posted to the endpoint that the first
// event names, or to a fixed one. When the stream ends, so does the channel.
//
// Confined to the worker that made it.
#pragma once

#include <optional>
#include <string>

#include "async/scope.h"
#include "transport/event_reader.h"
#include "transport/http_channel.h"

namespace patchbay::transport {

// Where messages are posted.
enum class PostEndpoint : std::uint8_t {
  announced,           // By the server's first event.
  announced_or_fixed,  // By the server's first event; if that does not arrive soon, the fixed one.
  fixed,
};

class SseChannel final : public Channel {
 public:
  // The stream is at target.url; `post` is the fixed endpoint.
  SseChannel(const HttpTarget& target, PostEndpoint source, net::Url post);

  // Opens the stream and waits for the endpoint. Called once, before start().
  Task<void> connect(Deadline deadline);

  void start(Listener& listener) override { listener_ = &listener; }
  using Channel::send;
  Result<void> send(std::string message, const Sending& how) override;
  void close_sending() override {}
  void close() override;

  // Waits for requests in progress. REQUIRES: called before the channel is destroyed.
  Task<void> finish();

 private:
  Task<void> read(std::unique_ptr<net::HttpResponse> stream);
  void take(const Event& event);
  Task<void> post(std::string message, std::string fields, std::uint64_t id);
  Task<void> exchange(const std::string& message, const std::string& fields, std::uint64_t id);
  void fail(const std::string& why);

  const HttpTarget target_;
  const PostEndpoint source_;
  net::Url post_;
  net::HttpPool pool_;
  Listener* listener_ = nullptr;
  OneShot<void> endpoint_;  // Delivered once the endpoint is known.
  Scope tasks_;
  bool closed_ = false;
};

}  // namespace patchbay::transport
