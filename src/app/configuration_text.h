// The text of a configuration for people who may not see its secrets, and the check of a text that
// nobody has stored. Neither resolves ${…}, reads files that the text names, or runs anything.
//
// Values only; usable from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/node.h"
#include "frontends/configuration_view.h"

namespace patchbay::app {

// What stands for a secret: text that needs no quotes in YAML.
inline constexpr std::string_view kMask = "<secret>";

// Whether the value at this path may be secret: a token, a password, a variable, a header.
bool may_be_secret(std::string_view path, std::string_view value);

// The scalars of the tree with their paths, in the order of the file.
struct ScalarAt {
  std::string path;
  const config::Node* node;
  bool secret;  // It may be: see may_be_secret(); or it follows an option such as --token.
};
std::vector<ScalarAt> scalars_of(const config::Node& root);

// The text with a mask for each secret; nothing if one of them is not found where it should be.
std::optional<std::string> without_secrets(std::string text, const std::vector<ScalarAt>& scalars);

// The settings of a file with their lines, then all others with their defaults.
std::vector<frontends::SettingLine> effective_settings(const config::Node& root);

// The faults of a text that could replace the file of that name.
std::vector<frontends::TextFault> check_text(std::string_view text, const std::string& name);

}  // namespace patchbay::app
