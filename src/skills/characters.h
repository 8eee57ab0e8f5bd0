// The characters of UTF-8 text, as far as needed to split words and sentences: case for the Latin,
// Greek and Cyrillic alphabets, white space, and scripts that write words without spaces. Pure
// functions; usable from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace patchbay {

struct Character {
  char32_t code;
  std::size_t bytes;
};

// The character that begins at byte `at`. A byte that is not UTF-8 counts as U+FFFD.
// REQUIRES: at < text.size().
Character character_at(std::string_view text, std::size_t at);

void append_character(std::string& out, char32_t code);

// Appends `text` with each run of white space as one space: line breaks are not part of the
// sentence.
void append_on_one_line(std::string& out, std::string_view text);

bool is_white_space(char32_t code);
bool is_digit(char32_t code);     // 0 to 9.
bool is_in_word(char32_t code);   // A letter or digit of any script.
bool is_unspaced(char32_t code);  // Han, kana: the next word begins without a space.

bool is_upper(char32_t code);
bool is_lower(char32_t code);
char32_t to_lower(char32_t code);

}  // namespace patchbay
