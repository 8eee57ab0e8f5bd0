// An SseChannel is a Channel to a server of the first revision's HTTP+SSE: one event stream carries
// everything that the server says, and what we say is posted to where the stream's first event
// tells, or to a fixed place. When the stream ends, so does the channel.
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
  told,           // The server says.
  told_or_fixed,  // The server says; if it does not soon, the fixed place.
  fixed,
};

class SseChannel final : public Channel {
 public:
  // The stream is at target.url; `post` is the fixed place.
  SseChannel(const HttpTarget& target, PostEndpoint place, net::Url post);

  // Opens the stream and learns where to post. Called once, before start().
  Task<void> connect(Deadline deadline);

  void start(Listener& listener) override { listener_ = &listener; }
  using Channel::send;
  Result<void> send(std::string message, const Sending& how) override;
  void close_sending() override {}
  void close() override;

  // Waits for what is under way. REQUIRES: called before the channel dies.
  Task<void> finish();

 private:
  Task<void> read(std::unique_ptr<net::HttpResponse> stream);
  void take(const Event& event);
  Task<void> post(std::string message, std::uint64_t id);
  Task<void> exchange(const std::string& message, std::uint64_t id);
  void fail(const std::string& why);

  const HttpTarget target_;
  const PostEndpoint place_;
  net::Url post_;
  net::HttpPool pool_;
  Listener* listener_ = nullptr;
  OneShot<void> endpoint_;  // It is known where to post.
  Scope tasks_;
  bool closed_ = false;
};

}  // namespace patchbay::transport
