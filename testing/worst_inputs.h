// For each harness of fuzz/, the inputs of a given size that are known to cost the most, as a
// hostile peer would send them. A new harness needs at least one row.
//
// Constant.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace patchbay::testing {

struct WorstInput {
  const char* harness;
  const char* name;
  // An input of about so many bytes.
  std::string (*make)(std::size_t size);
};

std::span<const WorstInput> worst_inputs();

}  // namespace patchbay::testing
