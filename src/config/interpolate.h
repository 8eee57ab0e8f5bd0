// Replaces `${env:NAME}` and `${file:PATH}` in a string of the configuration by what they name;
// `$${` stands for a literal `${`. Reads the environment and small files: for start and reload.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace patchbay::config {

struct Interpolated {
  std::string text;
  bool changed = false;               // Something came from outside.
  std::vector<std::string> problems;  // One sentence for each part that could not be replaced.
  std::vector<std::string> files;     // That were named, whether they could be read or not.
};

// `folder` is where relative paths start. Other uses of `${` are left alone, so that text meant for
// a shell passes, except those that look like a misspelt source (`${evn:TOKEN}`).
Interpolated interpolate(std::string_view text, const std::string& folder);

}  // namespace patchbay::config
