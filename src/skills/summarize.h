// The skill `summarize`: selects the most informative sentences of a text. Nothing is rephrased.
// Stateless; runs on any worker.
//
// The score of a sentence is the average frequency of its words in the text, with a bonus near the
// start.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "skills/skill.h"

namespace patchbay {

inline constexpr std::size_t kMaxSummarizedBytes = 1024 * 1024;
inline constexpr int kDefaultSummarySentences = 3;
inline constexpr int kMaxSummarySentences = 20;

// The `count` best sentences of `text` in their order, with a space between them; the whole text,
// without the white space around it, if it has no more than that.
std::string summarize(std::string_view text, std::size_t count);

extern const Skill kSummarizeSkill;

}  // namespace patchbay
