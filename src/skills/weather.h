// The skill `weather`: made-up weather for a location, always the same and labelled as made up. It
// uses no network; it is an example until a tool with real data replaces it. Stateless; runs on any
// worker.
#pragma once

#include "skills/skill.h"

namespace patchbay {

extern const Skill kWeatherSkill;

}  // namespace patchbay
