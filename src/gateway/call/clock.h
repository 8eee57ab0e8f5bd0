// The clock of a call: its time limit, the setting that has it, and the events that move its
// deadline.
//
// Only the thread that works on the call uses it: the caller's worker, or the owner worker of the
// upstream while the caller's waits.
#pragma once

#include <chrono>
#include <string>

#include "core/error.h"
#include "gateway/call/call.h"

namespace patchbay::gateway {

// Gives the call `limit` from now on, by that setting of its upstream; in total no more than any
// call has.
void set_limit(Call& call, std::chrono::milliseconds limit, std::string_view setting);

// The call waited that long for a person. That time does not count.
void pause_clock(const Call& call, std::chrono::nanoseconds took);

// The upstream has reported progress: the time limit of the call starts again. Returns the new
// deadline.
Deadline restart_clock(const Call& call);

// Adds the setting that ended a call to its timeout error. Timeouts of other things are not
// changed.
void name_limit(const Call& call, Error& error);

}  // namespace patchbay::gateway
