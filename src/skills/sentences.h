// Splits text into sentences. It handles abbreviations, initials, numbers, ellipses and quotes
// after the full stop, and the full stops of scripts that put no space after them. Pure; usable
// from any thread. The slices point into the text.
#pragma once

#include <string_view>
#include <vector>

namespace patchbay {

// The sentences of `text` in order, without surrounding white space. A blank line ends a sentence
// too, so a heading is a sentence of its own.
std::vector<std::string_view> split_sentences(std::string_view text);

}  // namespace patchbay
