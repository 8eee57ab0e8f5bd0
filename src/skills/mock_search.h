// The skill `mock_search`: three made-up results for any query, labelled as made up. It is used
// until folders are configured, which enables `search` instead. Stateless; runs on any worker.
#pragma once

#include "skills/skill.h"

namespace patchbay {

extern const Skill kMockSearchSkill;

}  // namespace patchbay
