// Cuts text into sentences. It knows abbreviations, initials, numbers, ellipses and quotes after
// the stop, and the stops of scripts that put no space after them.
// Pure; usable from any thread. The slices point into the text.
#pragma once

#include <string_view>
#include <vector>

namespace patchbay {

// The sentences of `text` in order, without the white space around them. A blank line ends a
// sentence too, so a heading stands for itself.
std::vector<std::string_view> split_sentences(std::string_view text);

}  // namespace patchbay
