// The format of .properties files: `name = value` or `name: value`, comments with # or !, lines
// that a backslash continues, and the escapes \t \n \r \f \uXXXX. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace patchbay::app {

struct Property {
  std::string name;
  std::string value;
  int line = 0;
};

// In the order of the text; of two with the same name the later one counts.
std::vector<Property> parse_properties(std::string_view text);

}  // namespace patchbay::app
