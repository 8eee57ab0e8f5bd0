// The byte order mark and the line ends of a text that is edited. Editors on Windows write both;
// they are taken off before the change and put back after it. Values only.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace patchbay::config {

class TextForm {
 public:
  explicit TextForm(std::string_view text) {
    marked_ = text.starts_with(kMark);
    if (marked_) text.remove_prefix(kMark.size());
    std::size_t with_return = 0;
    for (std::size_t at = text.find("\r\n"); at != text.npos; at = text.find("\r\n", at + 2)) {
      ++with_return;
    }
    // A text that mixes line ends stays as it is.
    returns_ =
        with_return > 0 && with_return == static_cast<std::size_t>(std::ranges::count(text, '\n'));
    plain_ = text;
    if (returns_) std::erase(plain_, '\r');
  }

  const std::string& plain() const { return plain_; }

  std::string restored(std::string_view edited) const {
    std::string text(marked_ ? kMark : "");
    for (const char c : edited) {
      if (returns_ && c == '\n') text += '\r';
      text += c;
    }
    return text;
  }

 private:
  static constexpr std::string_view kMark = "\xEF\xBB\xBF";

  bool marked_ = false;
  bool returns_ = false;
  std::string plain_;
};

}  // namespace patchbay::config
