// Begins the trace of a call with the context of its request: from outside the message, or from
// `params._meta`.
//
// Called on the worker that the call belongs to.
#pragma once

#include "gateway/call/call.h"
#include "trace/sampling.h"

namespace patchbay::gateway {

// `is_recorded`: the stages of the call are timed.
void begin_trace(const Call& call, const trace::Sampling& sampling, bool is_recorded);

// The trace id of the call for log lines and audit records; empty if no other program knows it.
std::string trace_id(const Call& call);

// A question to the client begins: a stage of the call. Its params have the context that the client
// continues. The number is for CallTrace::end_question(). `cause` is the traceparent that came
// beside the question; without one, that of its `_meta` counts.
struct AskedQuestion {
  std::size_t number = trace::CallTrace::kNone;
  std::string params;
};
AskedQuestion begin_question(const Call& call, std::string_view params,
                             std::string_view cause = {});

}  // namespace patchbay::gateway
