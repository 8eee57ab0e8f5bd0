// Characters that are invisible but change what is displayed: control characters, which a terminal
// obeys, bidirectional overrides, and line separators that some readers take for the end of a line.
// Values only; usable from any thread.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::json {

// Replaces each of them from `begin` on by the escape \uXXXX, except line feeds and tabs. Invalid
// UTF-8 becomes U+FFFD. JSON stays JSON with the same meaning.
void escape_invisible(std::string& text, std::size_t begin = 0);

// A copy of `text`, escaped.
std::string visible(std::string_view text);

}  // namespace patchbay::json
