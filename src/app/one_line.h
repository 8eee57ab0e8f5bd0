// Text from outside on one line of a terminal or a log.
//
// Pure.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::app {

// `text` on one line, with invisible characters written as escapes.
std::string on_line(std::string_view text);

}  // namespace patchbay::app
