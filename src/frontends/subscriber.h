// What front ends share about subscriptions to resources. Subscribing takes the same way as any
// call, so that it is limited, routed and recorded like one; here is what happens around it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/mcp_server.h"
#include "gateway/subscriptions.h"

namespace patchbay::frontends {

using gateway::Subscriber;

// The URI that a subscribe or unsubscribe request names; empty if it names none.
std::string subscribed_uri(const mcp::Message& request);

// The answer to a request that changes nothing: subscribing twice, or letting go of what one does
// not have. Empty for every other request.
std::optional<mcp::Reply> answered_by_set(const Subscriber& who, const mcp::Message& request);

// Keeps the set in step with a request that was answered.
void note_subscription(Subscriber& who, const mcp::Message& request, const mcp::Reply& reply);

// Subscribes or unsubscribes on behalf of a client that did not send the request itself.
Task<mcp::Reply> subscribe(gateway::McpServer& server, std::string_view face,
                           std::string_view method, const std::string& uri);

// Lets go of everything that `who` wants.
Task<void> unsubscribe_all(gateway::McpServer& server, std::string_view face, Subscriber& who);

// The raw params of notifications/resources/updated.
std::string updated_params(std::string_view uri);

}  // namespace patchbay::frontends
