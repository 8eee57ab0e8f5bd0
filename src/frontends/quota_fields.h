// The header lines about rate limits and retries. Pure.
#pragma once

#include <string>
#include <string_view>

#include "gateway/call/call.h"

namespace patchbay::frontends {

// Header lines, each with its CRLF; empty without a limit.
std::string quota_fields(const gateway::Call& call);

// Retry-After for an answer that asks to retry later. `data` is the raw data of its error.
std::string retry_field(int status, std::string_view data);

}  // namespace patchbay::frontends
