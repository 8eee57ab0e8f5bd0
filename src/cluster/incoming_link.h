// An IncomingLink is the connection of another node that forwards requests to this one. They are
// answered by the handlers of their paths, as if they had arrived here.
//
// Confined to its worker; exists inside the task that serves it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "async/scope.h"
#include "cluster/forwarded_exchange.h"
#include "cluster/members.h"
#include "net/http/server/routes.h"
#include "transport/wire/frame_connection.h"

namespace patchbay::cluster {

struct IncomingSettings {
  std::chrono::nanoseconds silence = std::chrono::seconds(2);  // Until the node counts as gone.
  std::size_t streams = 10'000;                                // Requests in progress.
  std::size_t body = 16 << 20;                                 // Of one request.
  std::size_t buffer = 64 << 20;                               // Bytes that wait for the link.
  ForwardedExchange::Bounds exchange;
};

class IncomingLink final : transport::FrameConnection::Listener, ForwardedExchange::Link {
 public:
  // REQUIRES: everything referred to outlives it.
  IncomingLink(net::Stream& stream, const Members& members, const net::HttpRoutes& routes,
               const IncomingSettings& settings);
  ~IncomingLink();

  // Serves until the node disconnects. Streams without a call end when `idle` is requested; then
  // requests in progress are waited for.
  Task<void> run(Stop& idle);

 private:
  struct Request;

  Task<void> on_frame(wire::FrameType type, std::string_view payload) override;
  Result<void> send(std::string_view payload) override;
  Result<void> begin(const Payload& payload);
  void refuse(std::uint32_t stream);
  void start(Request& request);
  Task<void> serve(Request& request);
  void end_streams();
  void end_if_idle();

  const Members& members_;
  const net::HttpRoutes& routes_;
  const IncomingSettings settings_;
  transport::FrameConnection frames_;
  std::unordered_map<std::uint32_t, std::unique_ptr<Request>> requests_;
  // Vouches for the callers of the other node as long as it is connected.
  const std::shared_ptr<const void> standing_ = std::make_shared<int>(0);
  bool stopping_ = false;
  Stop reading_;  // Requested when no request is expected any more.
  Scope running_;
};

}  // namespace patchbay::cluster
