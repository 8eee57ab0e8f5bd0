// A YamlText is a text as libyaml may read it. libyaml reads YAML 1.1, and some inputs in time that
// grows with the square of their size. So a text that could be one of those is refused, and the
// three characters that end a line in YAML 1.1 but not in 1.2 are replaced while it is read.
//
// Values only; usable from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/node.h"

namespace patchbay::config {

// libyaml clears a buffer as long as the longest run of blanks at each of the shorter ones.
inline constexpr std::size_t kMaxBlanks = 4096;
// libyaml compares each directive with all others.
inline constexpr int kMaxTagDirectives = 100;

class YamlText {
 public:
  // Nothing, and a fault, if libyaml must not read it. `text` outlives what is returned.
  static std::optional<YamlText> prepare(std::string_view text, const std::string& name,
                                         Faults& faults);

  std::string_view view() const { return replaced_.empty() ? text_ : replaced_; }

  // A part of view(), with the characters that were replaced.
  std::string restore(std::string part) const;

 private:
  explicit YamlText(std::string_view text) : text_(text) {}

  std::string_view text_;
  std::string replaced_;  // Empty if nothing had to be replaced.
};

}  // namespace patchbay::config
