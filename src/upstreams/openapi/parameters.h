// The parameters and the body of an operation, read from its document. Pure.
#pragma once

#include <string>
#include <vector>

#include "upstreams/openapi/document.h"
#include "upstreams/openapi/operation.h"

namespace patchbay::upstreams {

// Those of the operation and those of its path that it does not override. Left out are header
// fields that the gateway writes, and what `proof` or a header of `fixed` sets already.
Result<std::vector<OpenapiParameter>> read_parameters(const OpenapiDocument& document,
                                                      json::NodeId path, json::NodeId operation,
                                                      const OpenapiProof& proof,
                                                      const std::vector<std::string>& fixed);

// The encoding of a body that suits arguments best, of those that the document allows.
Result<OpenapiBody> read_body(const OpenapiDocument& document, json::NodeId operation);

// How a value is encoded at `location`, by the parameter or encoding object `at`.
ParameterForm read_form(const OpenapiDocument& document, json::NodeId at,
                        ParameterLocation location);

// Assigns every parameter, and the body, an argument.
void name_arguments(OpenapiOperation& operation);

// The path of the document as text and parameters in turn.
Result<std::vector<PathPiece>> read_path(const std::string& path,
                                         const std::vector<OpenapiParameter>& parameters);

}  // namespace patchbay::upstreams
