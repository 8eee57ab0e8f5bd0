// The body of a request in the ways that OpenAPI knows: JSON, forms, parts, text, bytes. Pure but
// for the boundary between parts, which nobody can foresee.
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

// The raw JSON `value` as `body` wants it. Code::invalid_params for what it cannot hold.
Result<WrittenBody> write_body(const OpenapiBody& body, std::string_view value);

}  // namespace patchbay::upstreams
