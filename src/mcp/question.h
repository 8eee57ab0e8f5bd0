// Requests of a server during a call (sampling, elicitation, roots), converted to the client's
// revision and capabilities, and the answer converted to the server's revision. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "mcp/revision.h"

namespace patchbay::mcp {

// The parameters of the request `method` for a client of revision `to` that has declared
// `capabilities` (raw). Code::method_not_found if that client does not support the method, the
// mode, or something without which the request would have another meaning. `params` are raw and may
// be empty; so is the result.
Result<std::string> question_for(Revision to, std::string_view capabilities,
                                 std::string_view method, std::string_view params);

// The client's result, raw, for the server of revision `to_server` that asked.
std::string answer_for(Revision to_server, std::string_view method, std::string_view result);

// A server of 2025-11-25 may refuse a request until the user has opened some URLs (-32042). The
// same in the form of the stateless revision: a result that requires input, raw. Empty if `error`,
// which is raw, is another one.
std::optional<std::string> url_questions(std::string_view error);

}  // namespace patchbay::mcp
