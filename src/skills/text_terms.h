// The significant words of a text. Pure functions; usable from any thread.
#pragma once

#include <string>
#include <string_view>

#include "skills/characters.h"

namespace patchbay {

// True for English words without much meaning: "the", "and", … REQUIRES: `word` is in lower case.
bool is_stop_word(std::string_view word);

// Calls `visit(term)` for each word of `text` that is no stop word, in lower case. Scripts without
// spaces yield each pair of neighbouring characters instead, which approximates their words.
template <class Visit>
void each_term(std::string_view text, Visit visit) {
  std::string word;
  char32_t before = 0;  // The unspaced character just passed, if any.
  const auto end_word = [&] {
    if (word.size() > 1 && !is_stop_word(word)) visit(word);
    word.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const auto [code, bytes] = character_at(text, at);
    at += bytes;
    const bool unspaced = is_unspaced(code);
    if (unspaced || !is_in_word(code)) end_word();
    if (unspaced && before != 0) {
      append_character(word, before);
      append_character(word, code);
      end_word();
    } else if (!unspaced && is_in_word(code)) {
      append_character(word, to_lower(code));
    }
    before = unspaced ? code : 0;
  }
  end_word();
}

}  // namespace patchbay
