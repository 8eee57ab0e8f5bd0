// An OpenapiService is the result of a document and the settings of an upstream: the server, the
// operations, and how they are listed. Made on a thread of the pool; constant from then on, so that
// all workers share it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gateway/call/left_out.h"
#include "mcp/items.h"
#include "net/http/syntax/url.h"
#include "upstreams/openapi/operation.h"
#include "upstreams/openapi/settings.h"

namespace patchbay::upstreams {

struct OpenapiService {
  net::Url server;
  std::vector<OpenapiOperation> operations;
  std::map<std::string, std::size_t, std::less<>> tools;  // By name: the operation's number.
  std::vector<std::size_t> resources;                     // Operations that can be read by a URI.
  mcp::ItemLists items;
  gateway::LeftOut left_out;          // Operations that are not offered.
  std::vector<std::string> problems;  // Omitted and invalid parts, as sentences.
};

// `from` is the URL of the document; nothing for a file. The error states why the whole document,
// or its settings, cannot be used.
Result<OpenapiService> read_service(std::string_view text, const std::string& upstream,
                                    const OpenapiSettings& settings,
                                    const std::optional<net::Url>& from);

}  // namespace patchbay::upstreams
