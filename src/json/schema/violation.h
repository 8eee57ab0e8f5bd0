// A Violation is the location at which a value violates its schema, and the reason.
#pragma once

#include <string>

namespace patchbay::json {

struct Violation {
  std::string pointer;  // JSON pointer of the violating part; empty for the whole.
  std::string keyword;
  std::string reason;  // For people: "must be a number, is a string".
};

}  // namespace patchbay::json
