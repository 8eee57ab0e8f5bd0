// The clock of a call: how long it may take, by which setting, and what moves its deadline.
//
// Only the thread that the call is on uses it: the caller's worker, or the owner worker of the
// upstream while the caller's waits.
#pragma once

#include <chrono>
#include <string>

#include "core/error.h"
#include "gateway/call/call.h"

namespace patchbay::gateway {

// Gives the call `limit` from now on, as that setting of its upstream says; in all no more than
// any call has.
void set_limit(Call& call, std::chrono::milliseconds limit, std::string_view setting);

// A person took that long for what the call waited for. It does not count.
void pause_clock(const Call& call, std::chrono::nanoseconds took);

// The upstream has reported progress: the call has its whole time again. Yields the new deadline.
Deadline restart_clock(const Call& call);

// Adds to the error of a call that ran out of time which setting ended it. Timeouts of other
// things stay as they are.
void name_limit(const Call& call, Error& error);

}  // namespace patchbay::gateway
