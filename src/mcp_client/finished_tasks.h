// Calls that a client with a session wanted as tasks, and that a stateless server, which decides by
// itself what becomes one, has answered at once. The answers are stored until the client fetches
// them, for a while and up to a size; beyond that the oldest go first.
//
// Confined to the worker of its link.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "async/timers.h"
#include "mcp/reply.h"
#include "mcp_client/settings.h"

namespace patchbay::upstreams {

class FinishedTasks {
 public:
  struct Finished {
    std::string id;
    std::string state;  // As tasks/get shows it, raw.
    mcp::Reply reply;
    Deadline expires{};
  };

  explicit FinishedTasks(const TaskSettings& settings) : settings_(settings) {}

  // `ttl` is how long the client would like it to be stored, in milliseconds.
  const Finished& keep(mcp::Reply reply, std::optional<std::int64_t> ttl);

  // Null if there is none, or no longer.
  const Finished* find(std::string_view id);

 private:
  void forget_old();

  const TaskSettings settings_;
  std::deque<Finished> stored_;  // Oldest first.
  std::size_t bytes_ = 0;
};

}  // namespace patchbay::upstreams
