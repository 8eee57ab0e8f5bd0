// What a server asks in the course of a call (sampling, elicitation, roots), as the client's
// revision and its capabilities allow, and the answer as the server's revision knows it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "mcp/revision.h"

namespace patchbay::mcp {

// The parameters of the question `method` for a client of revision `to` that has declared
// `capabilities` (raw). Code::method_not_found if that client cannot be asked it: the method, the
// mode or something without which the question would be another one is not known there.
// `params` are raw and may be empty; so is what is returned.
Result<std::string> question_for(Revision to, std::string_view capabilities,
                                 std::string_view method, std::string_view params);

// The client's result, raw, for the server of revision `to_server` that asked.
std::string answer_for(Revision to_server, std::string_view method, std::string_view result);

// A server of 2025-11-25 may refuse a request until the user has opened some URLs (-32042). The
// same as the stateless revision says it: a result that wants input, raw. Empty if `error`, which
// is raw, is another one.
std::optional<std::string> url_questions(std::string_view error);

}  // namespace patchbay::mcp
