// The parameters and the body of an operation, read from its document. Pure.
#pragma once

#include <string>
#include <vector>

#include "upstreams/openapi/document.h"
#include "upstreams/openapi/operation.h"

namespace patchbay::upstreams {

// Those of the operation and those of its path that it does not replace. Left out are header fields
// that are the gateway's to write, and what `proof` or a header of `fixed` says already.
Result<std::vector<OpenapiParameter>> read_parameters(const OpenapiDocument& document,
                                                      json::NodeId path, json::NodeId operation,
                                                      const OpenapiProof& proof,
                                                      const std::vector<std::string>& fixed);

// The way of sending a body that suits arguments best, of those that the document allows.
Result<OpenapiBody> read_body(const OpenapiDocument& document, json::NodeId operation);

// How a value is written at `place` by what `at`, a parameter or an encoding, says.
ParameterForm read_form(const OpenapiDocument& document, json::NodeId at, ParameterLocation place);

// Gives every parameter, and the body, an argument of its own.
void name_arguments(OpenapiOperation& operation);

// The path of the document as text and parameters in turn.
Result<std::vector<PathPiece>> read_path(const std::string& path,
                                         const std::vector<OpenapiParameter>& parameters);

}  // namespace patchbay::upstreams
