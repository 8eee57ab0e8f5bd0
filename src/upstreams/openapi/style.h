// How the value of a parameter is encoded at its location: the styles of OpenAPI, which are those
// of URI templates (RFC 6570) and three more. Every character of a value that is a delimiter there
// is encoded, or refused where there is no encoding. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/result.h"
#include "upstreams/openapi/operation.h"

namespace patchbay::upstreams {

// Encodes the raw JSON `value` of `parameter` for the path, the query (`a=1&b=2`), the cookies
// (`a=1; b=2`), or as the value of its header. Empty for an empty list, and for null. An object
// that is written as separate parameters must not use a name in `taken`. Code::invalid_params,
// naming the argument, for what cannot be encoded there.
Result<std::string> write_parameter(const OpenapiParameter& parameter, std::string_view value,
                                    std::span<const std::string> taken);

// The text of a string, number or truth value; empty for null. Code::invalid_params for others.
Result<std::string> text_of_value(std::string_view value, std::string_view argument);

}  // namespace patchbay::upstreams
