// How skills read goals: whether one mentions a word, and what it wants done with it. Pure
// functions; usable from any thread.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "skills/skill.h"

namespace patchbay {

// True if one of the words stands somewhere in `goal`. All are in lower case.
bool mentions(std::string_view goal, std::initializer_list<std::string_view> words);
bool mentions(std::string_view goal, std::span<const std::string_view> words);

// What the skill with these words is to work on. The word may stand inside a sentence: "please
// summarize this: …" is about what follows the colon, "search for cats" about "for cats".
std::string_view subject_of(const GoalText& goal, std::span<const std::string_view> words);

// The subject without the little words in front: "for cats" is about "cats".
std::string_view without_lead(std::string_view subject,
                              std::initializer_list<std::string_view> little);

// `{"name":"text"}`.
std::string one_argument(std::string_view name, std::string_view text);

}  // namespace patchbay
