// A resource over HTTP: text as text, bytes as bytes, with its own type, an entity tag and its
// freshness.
//
// Pure.
#pragma once

#include <string_view>

#include "frontends/rest/answer.h"
#include "net/http/syntax/parse.h"

namespace patchbay::frontends {

// The result of resources/read for that request. A client that prefers JSON gets the whole form:
// type, uri, mimeType, and text or blob. Shared caches may store it only if it is the
// `same_for_all`.
RestAnswer content_answer(const net::HttpRequest& request, const mcp::Reply& reply,
                          bool same_for_all);

// A strong entity tag of the bytes, with its quotes.
std::string etag_of(std::string_view bytes);

}  // namespace patchbay::frontends
