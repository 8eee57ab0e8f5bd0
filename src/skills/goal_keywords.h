// How skills parse goals: whether one contains a keyword, and its subject. Pure functions; usable
// from any thread.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "skills/skill.h"

namespace patchbay {

// True if `goal` contains one of the keywords. All are in lower case.
bool mentions(std::string_view goal, std::initializer_list<std::string_view> keywords);
bool mentions(std::string_view goal, std::span<const std::string_view> keywords);

// The subject for the skill with these keywords. The keyword may be inside a sentence: "please
// summarize this: …" is about what follows the colon, "search for cats" about "for cats".
std::string_view subject_of(const GoalText& goal, std::span<const std::string_view> keywords);

// The subject without leading prepositions: "for cats" is about "cats".
std::string_view without_lead(std::string_view subject,
                              std::initializer_list<std::string_view> little);

// `{"name":"text"}`.
std::string one_argument(std::string_view name, std::string_view text);

}  // namespace patchbay
