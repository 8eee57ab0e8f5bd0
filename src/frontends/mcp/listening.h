// A Listening is one subscriptions/listen request in progress: the notifications that its client
// requests, and how they are sent. In the stateless revision it replaces the streams and
// subscriptions of sessions.
//
// Confined to the worker of its client.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/discard.h"
#include "frontends/mcp/subscriber.h"
#include "mcp/compose.h"
#include "mcp/message.h"

namespace patchbay::frontends {

class Listening {
 public:
  // The filter of a client.
  struct Filter {
    std::vector<std::string_view> notifications;  // Changes of lists.
    std::vector<std::string> resources;           // URIs.
    std::vector<std::string> tasks;               // Ids.
  };
  static Result<Filter> filter_of(const mcp::Message& request);

  // `send` sends one message to the client. REQUIRES: `server` outlives this.
  Listening(gateway::McpServer& server, gateway::CallOrigin caller, const mcp::Message& request,
            std::function<void(std::string_view message)> send)
      : server_(server),
        caller_(std::move(caller)),
        text_(mcp::request(request.id, request.method, request.raw_params)),
        send_(std::move(send)) {
    auto parsed = mcp::parse(text_, request_);
    discard(parsed, "it was read before");
  }

  // Subscribes to the items of the filter and sends the client which of them were accepted.
  Task<void> begin(Filter filter);

  // Unsubscribes from all resources and tasks.
  Task<void> end();

  void notify_changed(gateway::CatalogChanges& update);
  void notify_updated(gateway::ResourceUpdate& update);
  void notify_task(const std::string& upstream, const gateway::TaskUpdate& update);

  // The result that ends the request from our side.
  mcp::Reply last_result() const;

 private:
  // The requests whose honoured items are named in the acknowledgement.
  Task<std::string> subscribe_to(std::vector<std::string> uris);
  Task<std::string> follow_tasks(std::vector<std::string> ids);
  std::string meta() const;

  gateway::McpServer& server_;
  const gateway::CallOrigin caller_;
  const std::string text_;
  mcp::Message request_;  // A copy, since the client's own may be destroyed earlier.
  const std::function<void(std::string_view message)> send_;
  std::vector<std::string_view> notifications_;
  Subscriber subscriber_;
  std::map<std::string, std::string> tasks_;  // The client's id of each task, by the upstream's id.
  bool begun_ = false;
};

}  // namespace patchbay::frontends
