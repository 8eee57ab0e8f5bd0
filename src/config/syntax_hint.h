// The likely cause of a syntax error in a configuration, for people. Values only; usable from any
// thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace patchbay::config {

// `problem` is what libyaml reports, `line` and `column` (both from 0) where. Empty: no idea.
std::string_view yaml_hint(std::string_view text, std::size_t line, std::size_t column,
                           std::string_view problem);

// The same for what toml++ reports.
std::string_view toml_hint(std::string_view problem);

// The same for JSON with an error at the byte `offset`.
std::string_view json_hint(std::string_view text, std::size_t offset);

}  // namespace patchbay::config
