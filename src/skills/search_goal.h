// How both searches parse a goal: "search: cats", "find pictures of cats". Pure.
#pragma once

#include <array>
#include <string_view>

#include "skills/skill.h"

namespace patchbay {

inline constexpr std::size_t kMaxQueryBytes = 1024;
inline constexpr std::array<std::string_view, 3> kSearchKeywords{"search", "find", "lookup"};

bool is_search(std::string_view goal);
Task<std::string> search_for(GoalText goal, GoalTools& tools);

}  // namespace patchbay
