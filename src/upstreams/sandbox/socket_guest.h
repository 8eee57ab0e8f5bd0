// A SocketGuest is a sandbox that is reached over a socket: a virtual machine or another computer.
//
// Confined to one worker.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "net/stream/stream.h"
#include "upstreams/sandbox/guests.h"

namespace patchbay::upstreams {

class SocketGuest final : public Guest {
 public:
  // `release` ends the machine behind the socket; empty: it is not ours. `absent` are the limits
  // that are not set there.
  SocketGuest(std::unique_ptr<net::Stream> stream, const SandboxSettings& settings,
              std::function<Task<void>()> release, std::vector<std::string> absent)
      : channel_(std::move(stream), agent_line_limits(settings)),
        link_(channel_),
        release_(std::move(release)),
        absent_(std::move(absent)) {}

  AgentLink& agent() override { return link_; }
  std::vector<std::string> absent() const override { return absent_; }

  Task<void> end() override {
    link_.close("it was destroyed");
    if (release_) co_return co_await release_();
    co_return ok();
  }

 private:
  transport::LineChannel channel_;
  AgentLink link_;
  const std::function<Task<void>()> release_;
  const std::vector<std::string> absent_;
};

// Requests the agent's port as Firecracker's sockets expect: `CONNECT 52`, answered by `OK …`.
Task<void> ask_for_port(net::Stream& stream, int port, Deadline deadline);

}  // namespace patchbay::upstreams
