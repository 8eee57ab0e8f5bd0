// The frontend for plain HTTP: tools and resources of the catalog as paths. Every request becomes a
// call of a stateless MCP client, so that it is limited, routed and recorded like one.
//
// One per worker; confined to it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/node_forwarding.h"
#include "frontends/operations.h"
#include "frontends/rest/call.h"
#include "frontends/rest/path.h"
#include "frontends/rest/settings.h"
#include "gateway/catalog/view.h"
#include "gateway/server.h"
#include "net/http/server/server.h"

namespace patchbay::frontends {

class SyntheticRequest;

class Rest final : public net::HttpHandler {
 public:
  // REQUIRES: everything referred to outlives this.
  Rest(gateway::McpServer& server, gateway::CatalogView& catalog, const OperationsView& operations,
       NodeForwarding nodes, RestSettings settings, const RestStreaming& streaming);

  Task<void> handle(net::HttpExchange& exchange) override;
  net::HttpRefusal refusal(const net::HttpRequest& request, int status,
                           std::string_view message) const override {
    return rest_refusal(dialect_of(request.path), status, message);
  }

  void update(RestSettings settings, const RestStreaming& streaming);

 private:
  using Query = std::map<std::string, std::string>;

  Task<void> serve(net::HttpExchange& exchange, const RestPath& target);
  Task<void> call_tool(net::HttpExchange& exchange, const RestPath& target);
  Task<void> run_tool(net::HttpExchange& exchange, const RestPath& target,
                      SyntheticRequest& request);
  Task<void> read_resource(net::HttpExchange& exchange, const RestPath& target);

  // The following functions return the answer.
  Task<RestAnswer> show_tools(net::HttpExchange& exchange, Query query);
  Task<RestAnswer> show_tool(net::HttpExchange& exchange, const RestPath& target);
  Task<RestAnswer> show_resources(net::HttpExchange& exchange, Query query);
  Task<RestAnswer> show_agents(net::HttpExchange& exchange, Query query);
  Task<RestAnswer> show_health(const net::HttpExchange& exchange);

  // One page of a list, or all pages as one list of raw items.
  Task<mcp::Reply> page(net::HttpExchange& exchange, mcp::ItemKind kind, std::string cursor);
  Task<std::vector<std::string>> all(net::HttpExchange& exchange, mcp::ItemKind kind);

  // The public URI of the resource that `name` means: a URI, a name, or either after its upstream.
  Task<std::string> uri_of(std::string name, Caller caller);

  std::string next_id(const net::HttpExchange& exchange);

  gateway::McpServer& server_;
  gateway::CatalogView& catalog_;
  const OperationsView& operations_;
  NodeForwarding nodes_;
  RestSettings settings_;
  RestStreaming streaming_;
  const std::string run_;  // In generated ids, to distinguish them from those of clients.
  std::uint64_t calls_ = 0;
};

}  // namespace patchbay::frontends
