// Loads a configuration, YAML or JSON, into Nodes, and reports everything that is wrong with the
// text itself. Reads files and the environment: for start, reload and commands, not for the path
// of a call.
//
// JSON is what has a name that ends in `.json`, or begins with `{` and is valid JSON. Beyond the
// grammar these are faults: duplicate keys, `<<`, a second document, unknown tags, control
// characters, text that is not UTF-8, a file that somebody else may change, ${…} that names
// nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/node.h"

namespace patchbay::config {

inline constexpr std::size_t kMaxFile = std::size_t{4} << 20;

// What could be read, even if there are faults; a null node if nothing could. The files that ${…}
// names in it are added to `files`, if given.
Node load_file(const std::string& path, Faults& faults, std::vector<std::string>* files = nullptr);

// The same for text at hand. Relative paths in it start from the folder of `name`.
Node load_text(std::string_view text, const std::string& name, Faults& faults,
               std::vector<std::string>* files = nullptr);

// False, with a fault, for control characters and what is not UTF-8: libyaml takes some for the
// end of the text and mends others; neither may pass unseen.
bool is_plain_text(std::string_view text, const std::string& name, Faults& faults);

}  // namespace patchbay::config
