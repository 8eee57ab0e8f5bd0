// An AgentLink sends requests to the agent inside a sandbox: it runs programs there and moves
// files. Its answers come from a place where hostile programs run, so they are bounded and checked.
//
// Confined to the worker of the channel.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "async/one_shot.h"
#include "transport/channel.h"

namespace patchbay::upstreams {

class AgentLink final : transport::Channel::Listener {
 public:
  // A piece of a program's output, while it runs. `stream` is stdout or stderr.
  using Output = std::function<void(std::string_view stream, std::string_view text)>;

  // REQUIRES: the channel outlives the link, and has not been started.
  explicit AgentLink(transport::Channel& channel);
  ~AgentLink();

  // Presents the token, if there is one; requests capabilities and concurrent answers. An agent
  // that has only the protocol's first six methods is accepted too.
  Task<void> greet(std::string token, Deadline deadline);

  // Beyond the six methods: timeouts, environments, streams, binary files, cancellation.
  bool extended() const { return extended_; }
  bool closed() const { return closed_; }

  // Ends the channel; all pending requests fail with the reason.
  void close(const std::string& why);

  // The raw result of a request. A refusal of the agent is Code::upstream_failed with its message;
  // its end is Code::unavailable. After the deadline, or when the task is stopped, the agent is
  // asked to cancel it.
  Task<std::string> ask(std::string method, std::string params, Deadline deadline,
                        Output output = {});

 private:
  struct Pending {
    OneShot<std::string>& answer;
    const Output& output;
  };

  void on_message(std::string_view message, std::uint64_t cause) override;
  void on_closed(const std::string& why) override;
  void on_output(std::string_view params);
  Result<void> send(std::uint64_t id, std::string_view method, std::string_view params);

  transport::Channel& channel_;
  std::uint64_t last_id_ = 0;
  std::unordered_map<std::uint64_t, Pending> pending_;
  bool extended_ = false;
  bool closed_ = false;
  std::string why_closed_;
};

}  // namespace patchbay::upstreams
