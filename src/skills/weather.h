// The skill `weather`: made-up weather for a place, always the same and named as made up. It
// reaches no network; it shows what an answer looks like until a tool with real data takes its
// place. Stateless; runs on any worker.
#pragma once

#include "skills/skill.h"

namespace patchbay {

extern const Skill kWeatherSkill;

}  // namespace patchbay
