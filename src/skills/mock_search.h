// The skill `mock_search`: three made-up results for any query, named as made up. It stands in
// until folders are configured, from when on `search` takes its place. Stateless; runs on any
// worker.
#pragma once

#include "skills/skill.h"

namespace patchbay {

extern const Skill kMockSearchSkill;

}  // namespace patchbay
