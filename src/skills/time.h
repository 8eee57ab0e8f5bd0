// The skill `time`: the date and time now, in a time zone. Runs on any worker; reads one small file
// for a zone that is given by name.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "core/result.h"
#include "skills/skill.h"

namespace patchbay {

// `moment` in RFC 3339 as the clocks of `zone` show it, then what the zone is called:
// "2026-11-15T04:00:00+01:00 Europe/Berlin (CET)". `zone` is "UTC", "local", an offset or an IANA
// name.
Result<std::string> show_time(std::chrono::sys_seconds moment, std::string_view zone);

extern const Skill kTimeSkill;

}  // namespace patchbay
