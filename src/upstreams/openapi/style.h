// How the value of a parameter is written in its place: the styles of OpenAPI, which are those of
// URI templates (RFC 6570) and three more. Everything of a value that could mean something in that
// place is encoded, or refused where there is no code for it. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/result.h"
#include "upstreams/openapi/operation.h"

namespace patchbay::upstreams {

// The raw JSON `value` of `parameter` as it stands in the path, the query (`a=1&b=2`) or the
// cookies
// (`a=1; b=2`), or as the value of its header. Empty for an empty list, and for null. An object
// that is written as parameters of its own must not use a name of `taken`. Code::invalid_params,
// naming the argument, for what cannot be written there.
Result<std::string> write_parameter(const OpenapiParameter& parameter, std::string_view value,
                                    std::span<const std::string> taken);

// The text of a string, number or truth value; empty for null. Code::invalid_params for others.
Result<std::string> text_of_value(std::string_view value, std::string_view argument);

}  // namespace patchbay::upstreams
