// The skill `echo`: answers with its text, which proves to a client that calls work. Stateless;
// runs on any worker.
#pragma once

#include "skills/skill.h"

namespace patchbay {

extern const Skill kEchoSkill;

}  // namespace patchbay
