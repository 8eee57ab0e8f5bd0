// Operations with GET as resources: each has a URI below `openapi://UPSTREAM/`, or a template of
// one, that repeats the path of the operation and its query. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mcp/items.h"
#include "upstreams/openapi/document.h"
#include "upstreams/openapi/operation.h"

namespace patchbay::upstreams {

// Whether a URI can say all that the operation needs: only plain values, in path and query.
bool is_readable(const OpenapiOperation& operation);

struct DefinedResource {
  mcp::ItemKind kind;  // A resource, or a template of some.
  mcp::Item item;
};

// REQUIRES: is_readable(operation).
DefinedResource define_resource(const OpenapiDocument& document, json::NodeId at,
                                std::string_view upstream, const OpenapiOperation& operation);

// The arguments, as a raw JSON object, with which `operation` is what `uri` names; nothing if it
// names another. Code::invalid_params if it names this one, but cannot be understood.
Result<std::optional<std::string>> arguments_of_uri(const OpenapiOperation& operation,
                                                    std::string_view upstream,
                                                    std::string_view uri);

// `openapi://UPSTREAM` and the place of a request.
std::string uri_of(std::string_view upstream, std::string_view place);

}  // namespace patchbay::upstreams
