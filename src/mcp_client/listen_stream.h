// A ListenStream receives the notifications of a stateless server: one running
// `subscriptions/listen`, replaced without a gap when the subscription changes, and started again
// when it breaks.
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
  // The services of a link for the stream. REQUIRES: outlives the stream.
  class Link {
   public:
    virtual std::uint64_t mint_id() = 0;
    // Sends `subscriptions/listen`; yields when the server ends it.
    virtual Task<mcp::Reply> listen(std::uint64_t id, std::string params) = 0;
    // The stream was broken and works again: notifications sent meanwhile are lost.
    virtual void on_missed() = 0;

   protected:
    ~Link() = default;
  };

  explicit ListenStream(Link& link) : link_(link) {}

  // Subscribes to the items in the raw `params`, and to nothing else. Yields when the server has
  // agreed.
  Task<void> subscribe(std::string params, Deadline deadline);

  // The server has agreed to the request with that id.
  void on_agreed(std::uint64_t id);

  // Ends the subscription.
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
      subscriptions_;  // The newest last; more than one only while one replaces another.
  Scope scope_;
};

}  // namespace patchbay::upstreams
