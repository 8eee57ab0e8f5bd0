#include "gateway/call/clock.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/units.h"

namespace patchbay::gateway {

void set_limit(Call& call, std::chrono::milliseconds limit, std::string_view setting) {
  call.clock.limit = std::min(limit, call.clock.total);
  call.clock.setting = setting;
  call.clock.of_upstream = true;
  call.deadline = std::min<Deadline>(here().now() + call.clock.limit, call.clock.latest);
}

void pause_clock(const Call& call, std::chrono::nanoseconds took) {
  if (call.deadline != kNever) call.deadline += took;
  if (call.clock.latest != kNever) call.clock.latest += took;
}

Deadline restart_clock(const Call& call) {
  if (call.clock.limit > std::chrono::milliseconds(0)) {
    const auto again = std::min<Deadline>(here().now() + call.clock.limit, call.clock.latest);
    call.deadline = std::max(call.deadline, again);
  }
  return call.deadline;
}

void name_limit(const Call& call, Error& error) {
  const CallClock& clock = call.clock;
  if (error.code != Code::timeout || here().now() < call.deadline || clock.setting.empty()) return;
  const bool in_all =
      call.deadline >= clock.latest && (clock.of_upstream || clock.limit < clock.total);
  if (in_all) {
    error.message += fmt::format(" (limits.max_call_timeout: {})", config::print(clock.total));
  } else if (!clock.of_upstream) {
    error.message += fmt::format(" ({}: {})", clock.setting, config::print(clock.limit));
  } else {
    error.message += fmt::format(" ({} of the upstream {}: {})", clock.setting, call.upstream,
                                 config::print(clock.limit));
  }
}

}  // namespace patchbay::gateway
