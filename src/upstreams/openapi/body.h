// The body of a request in the forms of OpenAPI: JSON, forms, multipart, text, bytes. Pure except
// for the boundary between parts, which is random.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "upstreams/openapi/operation.h"

namespace patchbay::upstreams {

struct WrittenBody {
  std::string content_type;
  std::string bytes;
};

// Encodes the raw JSON `value` as `body` requires. Code::invalid_params for what cannot be encoded.
Result<WrittenBody> write_body(const OpenapiBody& body, std::string_view value);

}  // namespace patchbay::upstreams
