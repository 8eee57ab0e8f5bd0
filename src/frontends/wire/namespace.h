// Namespaces of the wire protocol in terms of the catalog: `system`, `tools` and `default` mean
// everything; the name of an upstream means that upstream alone.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/catalog/catalog.h"
#include "mcp/message.h"

namespace patchbay::frontends {

// The upstream that a namespace means; empty: all of them. Code::not_found if there is none of that
// name.
Result<std::string> upstream_of(std::string_view target_namespace, const gateway::Catalog& catalog);

// Code::unavailable if `upstream` (empty: all) is down and none of its items are listed any more.
Result<void> check_there(std::string_view upstream, const gateway::Catalog& catalog);

// A request whose method contains its namespace, `files.tools/list` or `files.read`, as an MCP
// request in that namespace. A method that MCP does not define is a tool of the upstream, and the
// params are its arguments. None if the method contains no existing namespace, or the envelope
// names another one.
struct NamedRequest {
  std::string target_namespace;
  std::string request;
};
std::optional<NamedRequest> in_namespace_of_method(const mcp::Message& request,
                                                   std::string_view target_namespace,
                                                   const gateway::Catalog& catalog);

// A tools/call within the namespace of `upstream`, where the tool may have its own name. Empty if
// it can be used unchanged.
std::string call_within(std::string_view upstream, const mcp::Message& call,
                        const gateway::Catalog& catalog);

// The result (raw) of a list method, with the items of `upstream` alone. Empty if it can be used
// unchanged.
std::string listed_within(std::string_view upstream, std::string_view method,
                          std::string_view result, const gateway::Catalog& catalog);

}  // namespace patchbay::frontends
