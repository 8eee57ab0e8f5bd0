// Calls that a client with a session requested as tasks, and that a stateless server answered at
// once, since it decides itself which calls become tasks. The answers are stored until the client
// fetches them, for a limited time and up to a total size; beyond that the oldest are removed
// first.
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
    std::string state;  // In the form of the result of tasks/get, raw.
    mcp::Reply reply;
    Deadline expires{};
  };

  explicit FinishedTasks(const TaskSettings& settings) : settings_(settings) {}

  // `ttl` is how long the client requests it to be stored, in milliseconds.
  const Finished& keep(mcp::Reply reply, std::optional<std::int64_t> ttl);

  // Null if there is none, or none any more.
  const Finished* find(std::string_view id);

 private:
  void forget_old();

  const TaskSettings settings_;
  std::deque<Finished> stored_;  // Oldest first.
  std::size_t bytes_ = 0;
};

}  // namespace patchbay::upstreams
