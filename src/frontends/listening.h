// A Listening is one subscriptions/listen request under way: which news its client wants to hear,
// and how each is said to it. It takes the place of sessions' streams and subscriptions in the
// stateless revision.
//
// Confined to the worker of its client.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/subscriber.h"
#include "mcp/message.h"

namespace patchbay::frontends {

class Listening {
 public:
  // What a client asks for.
  struct Wish {
    std::vector<std::string_view> notifications;  // Of lists that have changed.
    std::vector<std::string> resources;           // URIs.
  };
  static Result<Wish> wish_of(const mcp::Message& request);

  // `say` sends one message to the client. REQUIRES: `server` outlives this.
  Listening(gateway::McpServer& server, std::string_view face, const mcp::Message& request,
            std::function<void(std::string_view message)> say)
      : server_(server), face_(face), id_(request.id), say_(std::move(say)) {}

  // Subscribes to what is wished for and tells the client what it will hear of. What cannot be had
  // is left out.
  Task<void> begin(Wish wish);

  // Lets go of all resources.
  Task<void> end() { return unsubscribe_all(server_, face_, subscriber_); }

  void tell_changed(std::string_view notification);
  void tell_updated(std::string_view uri);

  // The result that ends the request from our side.
  mcp::Reply last_result() const;

 private:
  std::string meta() const;

  gateway::McpServer& server_;
  const std::string_view face_;
  const std::string id_;  // Raw.
  const std::function<void(std::string_view message)> say_;
  std::vector<std::string_view> notifications_;
  Subscriber subscriber_;
  bool begun_ = false;
};

}  // namespace patchbay::frontends
