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

// Whether a URI can express everything the operation needs: only plain values, in path and query.
bool is_readable(const OpenapiOperation& operation);

struct DefinedResource {
  mcp::ItemKind kind;  // A resource, or a template of some.
  mcp::Item item;
};

// REQUIRES: is_readable(operation).
DefinedResource define_resource(const OpenapiDocument& document, json::NodeId at,
                                std::string_view upstream, const OpenapiOperation& operation);

// The arguments, as a raw JSON object, with which `operation` is the one that `uri` names; nothing
// if it names another. Code::invalid_params if it names this one, but is malformed.
Result<std::optional<std::string>> arguments_of_uri(const OpenapiOperation& operation,
                                                    std::string_view upstream,
                                                    std::string_view uri);

// `openapi://UPSTREAM` and the path and query of a request.
std::string uri_of(std::string_view upstream, std::string_view location);

}  // namespace patchbay::upstreams
