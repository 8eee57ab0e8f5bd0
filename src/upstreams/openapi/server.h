// The address of the service: from the configuration, else the document's first server with its
// variables replaced. Pure.
#pragma once

#include <optional>

#include "net/http/syntax/url.h"
#include "upstreams/openapi/document.h"
#include "upstreams/openapi/settings.h"

namespace patchbay::upstreams {

// The path has no trailing slash. `from` is the URL of the document; none for a file. A fetched
// document may only name a server of its own origin: otherwise a changed document could redirect
// requests and credentials.
Result<net::Url> server_of(const OpenapiDocument& document, const OpenapiSettings& settings,
                           const std::optional<net::Url>& from);

// The same for a part of the document with its own `servers`, a path or an operation; `base` if it
// has none. Another origin is refused.
Result<net::Url> server_of_part(const OpenapiDocument& document, const OpenapiSettings& settings,
                                const net::Url& base, const std::optional<net::Url>& from,
                                json::NodeId part);

}  // namespace patchbay::upstreams
