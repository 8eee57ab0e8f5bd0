// The languages that exec_code knows, and who runs each.
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
  // Code for the same option that runs what it reads from descriptor 3: for code that is longer
  // than the system lets one argument be.
  std::string_view reader;
};

std::span<const Language> languages();

// Null if nobody runs it.
const Language* find_language(std::string_view name);

}  // namespace patchbay::agent
