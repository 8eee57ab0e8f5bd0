// The skill `time`: the current date and time in a time zone. Runs on any worker; reads one small
// file for a named zone.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "core/result.h"
#include "skills/skill.h"

namespace patchbay {

// `moment` in RFC 3339 in the local time of `zone`, then the names of the zone:
// "2026-11-15T04:00:00+01:00 Europe/Berlin (CET)". `zone` is "UTC", "local", an offset or an IANA
// name.
Result<std::string> show_time(std::chrono::sys_seconds moment, std::string_view zone);

extern const Skill kTimeSkill;

}  // namespace patchbay
