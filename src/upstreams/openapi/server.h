// Where the service of an OpenAPI document is: what the configuration says, else the document's
// first server with its variables filled in. Pure.
#pragma once

#include <optional>

#include "net/http/syntax/url.h"
#include "upstreams/openapi/document.h"
#include "upstreams/openapi/settings.h"

namespace patchbay::upstreams {

// The path has no slash at its end. `from` is where the document was fetched; without one it is a
// file. A document that was fetched names a server of its own origin and no other: whoever can
// change it would else learn what is sent there, credentials included.
Result<net::Url> server_of(const OpenapiDocument& document, const OpenapiSettings& settings,
                           const std::optional<net::Url>& from);

// The same for a part of the document with `servers` of its own, a path or an operation; `base` if
// it has none. Another origin is refused.
Result<net::Url> server_of_part(const OpenapiDocument& document, const OpenapiSettings& settings,
                                const net::Url& base, const std::optional<net::Url>& from,
                                json::NodeId part);

}  // namespace patchbay::upstreams
