// What the headers of an answer say about how much its caller may still ask, and when. Pure.
#pragma once

#include <string>
#include <string_view>

#include "gateway/call/call.h"

namespace patchbay::frontends {

// Header lines, each with its CRLF; empty where nothing is bounded.
std::string quota_fields(const gateway::Call& call);

// For an answer that means to come back later: when. `data` is the raw data of its error.
std::string retry_field(int status, std::string_view data);

}  // namespace patchbay::frontends
