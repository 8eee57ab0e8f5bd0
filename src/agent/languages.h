// The languages that exec_code supports, and the interpreter of each.
//
// Values only.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::agent {

struct Language {
  std::string_view name;  // As callers write it, in any case.
  std::string_view program;
  std::string_view option;  // The code follows it.
  // A wrapper for the same option that runs the code that it reads from descriptor 3, for code
  // longer than one argument may be.
  std::string_view reader;
};

std::span<const Language> languages();

// Null if it is not supported.
const Language* find_language(std::string_view name);

}  // namespace patchbay::agent
