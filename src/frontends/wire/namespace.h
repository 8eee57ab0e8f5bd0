// Namespaces of the wire protocol, as the catalog knows them: `system` (and `tools`, which its
// examples say) and `default` are everything; the name of an upstream is that upstream alone. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/catalog/catalog.h"
#include "mcp/message.h"

namespace patchbay::frontends {

// The upstream that a namespace means; empty: all of them. Code::not_found if there is no such one.
Result<std::string> upstream_of(std::string_view target_namespace, const gateway::Catalog& catalog);

// Code::unavailable if `upstream` (empty: all) is down and nothing of it is listed any more.
Result<void> check_there(std::string_view upstream, const gateway::Catalog& catalog);

// A request whose method names its namespace, `files.tools/list` or `files.read`, as one of MCP in
// that namespace. What is no method of MCP is a tool of the upstream; the params are then its
// arguments. None if the method names no namespace that there is, or the envelope names another.
struct NamedRequest {
  std::string target_namespace;
  std::string request;
};
std::optional<NamedRequest> in_namespace_of_method(const mcp::Message& request,
                                                   std::string_view target_namespace,
                                                   const gateway::Catalog& catalog);

// A tools/call within the namespace of `upstream`, where the tool may go by its own name. Empty if
// it can stay as it is.
std::string call_within(std::string_view upstream, const mcp::Message& call,
                        const gateway::Catalog& catalog);

// The result (raw) of a method that lists things, with those of `upstream` alone. Empty if it can
// stay as it is.
std::string listed_within(std::string_view upstream, std::string_view method,
                          std::string_view result, const gateway::Catalog& catalog);

}  // namespace patchbay::frontends
