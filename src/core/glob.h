// Patterns for names: `get_*`, `read?`. Values only; usable from any thread.
#pragma once

#include <string_view>

namespace patchbay {

// True if the whole of `text` matches `glob`, in which `*` matches any text, also an empty one, and
// `?` any one byte. Every other character matches itself.
bool matches_glob(std::string_view glob, std::string_view text);

}  // namespace patchbay
