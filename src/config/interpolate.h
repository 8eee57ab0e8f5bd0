// Replaces `${env:NAME}`, `${env:NAME:-DEFAULT}` and `${file:PATH}` in a string of the
// configuration by their values; `$${` is a literal `${`. Reads the environment and small files:
// for start and reload.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace patchbay::config {

struct Interpolated {
  std::string text;
  bool changed = false;               // A value came from outside the file.
  std::vector<std::string> problems;  // One sentence for each part that could not be replaced.
  std::vector<std::string> files;     // All named files, readable or not.
};

// `folder` is the base of relative paths. Other uses of `${` are left alone, so that text for a
// shell passes, except those that look like a misspelt source (`${evn:TOKEN}`).
Interpolated interpolate(std::string_view text, const std::string& folder);

}  // namespace patchbay::config
