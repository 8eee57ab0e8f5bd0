// Environment variables of a program from a file: one NAME=value on each line, as shells and
// desktop clients have them. Reads files: for start and reload.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/node.h"
#include "config/read_value.h"
#include "config/settings.h"
#include "core/result.h"

namespace patchbay::app {

// The variables in `text`. Empty lines and lines that begin with # are skipped, `export ` in front
// and quotes around a value are dropped. Any other text is an error that names the line.
Result<config::Dict<std::string>> read_env_file(std::string_view text);

// Adds the variables of the file that `env_file` of a program names to its `env`, unless they are
// set there. `files` gets the name of the file.
void add_variables_of_file(config::Node& program, const config::Location& at,
                           std::vector<std::string>& files);

}  // namespace patchbay::app
