// Strings in and out of JSON. Values only; usable from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::json {

// U+FFFD: the replacement for bytes or a surrogate that are no character.
inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// The number of bytes of the UTF-8 character at the front; 0 if it is not valid UTF-8.
std::size_t utf8_length(std::string_view text);
// The number of leading bytes that are whole characters; the bytes after them are not one.
std::size_t utf8_prefix(std::string_view text);
bool is_utf8(std::string_view text);

// Removes the first character of `text`. REQUIRES: `text` is valid UTF-8 and not empty.
char32_t take_character(std::string_view& text);

// How many characters valid UTF-8 has.
std::size_t count_characters(std::string_view text);

// `text`, or its beginning with an ellipsis if it is longer than `most` bytes. For messages.
std::string shortened(std::string_view text, std::size_t most);

// Appends `text` as a JSON string with its quotes. Invalid UTF-8 becomes U+FFFD.
void append_quoted(std::string& out, std::string_view text);
std::string quote(std::string_view text);

// Appends `text` as the name of a member, with a comma before it if it `follows` another.
void append_key(std::string& out, std::string_view text, bool follows);

// The text of a JSON string slice, quotes included. REQUIRES: a Cursor has validated it. Fails only
// on an unpaired surrogate.
Result<std::string> unquote(std::string_view raw);

// Appends it to `out`; false if U+FFFD replaced an unpaired surrogate.
bool append_unquoted(std::string& out, std::string_view raw);

// The same where failing is no option: an unpaired surrogate becomes U+FFFD.
std::string unquote_leniently(std::string_view raw);

// `raw` on one line: line breaks between values become spaces. REQUIRES: a Cursor has validated it,
// so that there is none inside a string.
std::string on_one_line(std::string_view raw);

}  // namespace patchbay::json
