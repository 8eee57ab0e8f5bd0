// The shared part of subscriptions to resources and tasks in frontends. Subscribing is a call like
// any other, so that it is limited, routed and recorded like one; this component handles the rest.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/call/subscriptions.h"
#include "gateway/call/upstream.h"
#include "gateway/server.h"

namespace patchbay::frontends {

using gateway::Subscriber;

// The URI that a subscribe or unsubscribe request names; empty if it names none.
std::string subscribed_uri(const mcp::Message& request);

// The answer to a request that changes nothing: subscribing twice, or unsubscribing without a
// subscription. Empty for every other request.
std::optional<mcp::Reply> answered_by_set(const Subscriber& subscriber, const gateway::Call& call);

// Updates the set after a request was answered.
void note_subscription(Subscriber& subscriber, const gateway::Call& call, const mcp::Reply& reply);

// Subscribes or unsubscribes on behalf of a client that did not send the request itself.
Task<mcp::Reply> subscribe(gateway::McpServer& server, gateway::CallOrigin caller,
                           std::string_view method, const std::string& uri);

// Ends all subscriptions of `subscriber`.
Task<void> unsubscribe_all(gateway::McpServer& server, gateway::CallOrigin caller,
                           Subscriber& subscriber);

// Stores a task that a request of a client with a session has created, so that the client is
// notified.
void note_task(gateway::FollowedTasks& followed, const gateway::Call& call,
               const mcp::Reply& reply);

// The notification of the state of a task, for a client with a session; empty if the task is
// not its own.
std::string task_message(gateway::FollowedTasks& followed, const std::string& upstream,
                         const gateway::TaskUpdate& update);

// Follows a task, or stops following it, for a client without a session. `task` of the reply is the
// upstream's id of the task, and `upstream` is set.
Task<mcp::Reply> follow(gateway::McpServer& server, gateway::CallOrigin caller,
                        const mcp::Method& method, const mcp::Message& request,
                        const std::string& listed, std::string& upstream);

// The raw params of notifications/resources/updated.
std::string updated_params(std::string_view uri);

}  // namespace patchbay::frontends
