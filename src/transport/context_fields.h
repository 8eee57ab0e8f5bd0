// Trace context as header lines of a request.
//
// Pure.
#pragma once

#include <string>

#include "trace/call_trace.h"

namespace patchbay::transport {

// Each part that is present becomes a line with its CRLF.
void append_context(std::string& fields, const trace::SentContext& context);

}  // namespace patchbay::transport
