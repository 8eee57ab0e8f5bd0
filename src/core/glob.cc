#include "core/glob.h"

namespace patchbay {

// Only the last star is ever tried again, so the time is bounded by the product of the lengths.
bool matches_glob(std::string_view glob, std::string_view text) {
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t in_glob = 0;
  std::size_t in_text = 0;
  std::size_t star = kNone;   // The position of the last star,
  std::size_t star_text = 0;  // and the text up to which it matches.
  while (in_text < text.size()) {
    if (in_glob < glob.size() && glob[in_glob] == '*') {
      star = in_glob++;
      star_text = in_text;
    } else if (in_glob < glob.size() && (glob[in_glob] == '?' || glob[in_glob] == text[in_text])) {
      ++in_glob;
      ++in_text;
    } else if (star != kNone) {
      in_glob = star + 1;
      in_text = ++star_text;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', in_glob) == kNone;
}

}  // namespace patchbay
