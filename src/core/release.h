// Frees the memory of a text. Assigning an empty string does not: libstdc++ keeps the old memory.
// tools/check_idioms refuses that form. Pure; usable from any thread.
#pragma once

#include <string>

namespace patchbay {

// Empties the text and frees its memory.
inline void release(std::string& text) { std::string().swap(text); }

// Empties the text; frees its memory if it has more than `keep` bytes.
inline void release_beyond(std::string& text, std::size_t keep) {
  if (text.capacity() > keep) {
    release(text);
  } else {
    text.clear();
  }
}

}  // namespace patchbay
