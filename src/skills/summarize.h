// The skill `summarize`: picks the sentences of a text that say most of what it is about. Nothing
// is rephrased. Stateless; runs on any worker.
//
// A sentence is worth the average frequency of its words in the text, a little more near the start.
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
