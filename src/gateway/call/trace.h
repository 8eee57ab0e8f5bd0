// The trace that a call belongs to, as W3C Trace Context names it: "00-TRACE-SPAN-FLAGS". Pure.
#pragma once

#include <string_view>

#include "gateway/call/call.h"

namespace patchbay::gateway {

// The `traceparent` of the call: of its HTTP header, or of `params._meta`. Empty if there is none
// or if it is not well formed. A view of the call.
std::string_view traceparent_of(const Call& call);

// The trace id in a traceparent; empty if that is empty.
std::string_view trace_id(std::string_view traceparent);

}  // namespace patchbay::gateway
