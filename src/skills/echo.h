// The skill `echo`: answers with the text that it was given, which shows a client that calls arrive
// and come back unchanged. Stateless; runs on any worker.
#pragma once

#include "skills/skill.h"

namespace patchbay {

extern const Skill kEchoSkill;

}  // namespace patchbay
