// What front ends share about subscriptions to resources and tasks. Subscribing is a call
// like any other, so that it is limited, routed and recorded like one; here is what happens around
// it.
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

// The answer to a request that changes nothing: subscribing twice, or unsubscribing
// from what is not subscribed. Empty for every other request.
std::optional<mcp::Reply> answered_by_set(const Subscriber& subscriber, const gateway::Call& call);

// Keeps the set in step with a request that was answered.
void note_subscription(Subscriber& subscriber, const gateway::Call& call, const mcp::Reply& reply);

// Subscribes or unsubscribes on behalf of a client that did not send the request itself.
Task<mcp::Reply> subscribe(gateway::McpServer& server, gateway::CallOrigin caller,
                           std::string_view method, const std::string& uri);

// Ends all subscriptions of `subscriber`.
Task<void> unsubscribe_all(gateway::McpServer& server, gateway::CallOrigin caller,
                           Subscriber& subscriber);

// Notes a task that a request of a client with a session has made, so that it is notified.
void note_task(gateway::FollowedTasks& followed, const gateway::Call& call,
               const mcp::Reply& reply);

// The notification of the state of a task, for a client with a session; empty if the task is
// not its own.
std::string task_message(gateway::FollowedTasks& followed, const std::string& upstream,
                         const gateway::TaskUpdate& update);

// Follows a task, or no longer, on behalf of a client without a session. The reply's `task` is what
// the upstream calls it, and `upstream` is set.
Task<mcp::Reply> follow(gateway::McpServer& server, gateway::CallOrigin caller,
                        const mcp::Method& method, const mcp::Message& request,
                        const std::string& listed, std::string& upstream);

// The raw params of notifications/resources/updated.
std::string updated_params(std::string_view uri);

}  // namespace patchbay::frontends
