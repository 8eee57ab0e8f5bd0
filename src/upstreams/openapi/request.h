// The HTTP request of a call of an operation. Arguments never change its structure: none adds a
// segment to the path, a parameter to the query, a line to the head. Pure.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "upstreams/openapi/operation.h"

namespace patchbay::upstreams {

struct OpenapiRequest {
  std::string path;    // With its query.
  std::string fields;  // Header lines, each with its CRLF.
  std::string body;
  std::string location;  // The path alone, below the base.
};

// The common part of every operation of a service.
struct OpenapiBase {
  std::string fields;        // Header lines of every request.
  std::size_t most = 32768;  // Bytes of URL and header lines.
};

// `arguments` is a raw JSON object that has been checked. Code::invalid_params names the invalid
// argument and the reason.
Result<OpenapiRequest> make_request(const OpenapiBase& base, const OpenapiOperation& operation,
                                    std::string_view arguments);

}  // namespace patchbay::upstreams
