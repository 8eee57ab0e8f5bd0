// Patterns as people write them for names: `get_*`, `read?`. Values only; usable from any thread.
#pragma once

#include <string_view>

namespace patchbay {

// True if the whole of `text` fits `glob`, in which `*` stands for any text, also none, and `?` for
// any one byte. Everything else stands for itself.
bool matches_glob(std::string_view glob, std::string_view text);

}  // namespace patchbay
