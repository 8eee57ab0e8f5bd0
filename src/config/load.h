// Loads a configuration, YAML, JSON or TOML, into Nodes, and reports all faults of the text itself.
// Reads files and the environment: for start, reload and commands, not for the path of a call.
//
// A file is JSON if its name ends in `.json` or `.jsonc`, or if it begins with `{` and is valid
// JSON; it is TOML if its name ends in `.toml`. Beyond the grammar these are faults: duplicate
// keys, `<<`, a second document, unknown tags, control characters, text that is not UTF-8, a file
// that another user may change, ${…} without a value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/node.h"

namespace patchbay::config {

inline constexpr std::size_t kMaxFile = std::size_t{4} << 20;

// What could be read, even if there are faults; a null node if nothing could. The files that ${…}
// names are added to `files`, if given.
Node load_file(const std::string& path, Faults& faults, std::vector<std::string>* files = nullptr);

// The same for a text. Relative paths in it start from the folder of `name`.
Node load_text(std::string_view text, const std::string& name, Faults& faults,
               std::vector<std::string>* files = nullptr);

// The two steps of loading, for those who change the tree in between: the text as it is, and then
// the values of ${…} in it.
Node parse_file(const std::string& path, Faults& faults);
Node parse_text(std::string_view text, const std::string& name, Faults& faults);
void resolve(Node& root, const std::string& name, Faults& faults,
             std::vector<std::string>* files = nullptr);

// False, with a fault, for control characters and invalid UTF-8: libyaml takes some for the end of
// the text and replaces others; both must be reported.
bool is_plain_text(std::string_view text, const std::string& name, Faults& faults);

}  // namespace patchbay::config
