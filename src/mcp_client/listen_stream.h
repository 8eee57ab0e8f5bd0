// A ListenStream is what a stateless server tells of by itself: one `subscriptions/listen` that
// runs, replaced without a gap when we want to hear of something else, begun again when it breaks.
//
// Confined to the worker of its link.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "async/scope.h"
#include "mcp/reply.h"

namespace patchbay::upstreams {

class ListenStream {
 public:
  // What a link does for it. REQUIRES: outlives the stream.
  class Link {
   public:
    virtual std::uint64_t mint_id() = 0;
    // Sends `subscriptions/listen`; yields when the server ends it.
    virtual Task<mcp::Reply> listen(std::uint64_t id, std::string params) = 0;
    // The stream was broken and is whole again: what was told meanwhile is not known.
    virtual void on_missed() = 0;

   protected:
    ~Link() = default;
  };

  explicit ListenStream(Link& link) : link_(link) {}

  // Hears of what the raw `params` name from now on, and of nothing else. Yields when the server
  // has agreed.
  Task<void> hear(std::string params, Deadline deadline);

  // The server has agreed to the request with that id.
  void on_agreed(std::uint64_t id);

  // Stops to hear.
  Task<void> stop();

 private:
  struct Subscription {
    std::uint64_t id = 0;
    std::string params;
    Stop stop;
    OneShot<void> agreed;
  };

  Task<void> run(std::shared_ptr<Subscription> subscription);

  Link& link_;
  std::vector<std::shared_ptr<Subscription>>
      subscriptions_;  // The newest last; more than one only for a moment.
  Scope scope_;
};

}  // namespace patchbay::upstreams
