// The context of a trace in the headers of a request.
//
// Called on the worker of the exchange, or while that worker waits.
#pragma once

#include "net/http/server/exchange.h"
#include "trace/call_trace.h"

namespace patchbay::frontends {

// Views of the exchange, which it reads once. Several fields of a list are one list. Several
// fields `traceparent` are ambiguous, and none is used.
const trace::ReceivedContext& received_context(net::HttpExchange& exchange);

}  // namespace patchbay::frontends
