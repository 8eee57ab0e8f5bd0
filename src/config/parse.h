// The notations of a configuration, each parsed into Nodes. What they have in common (duplicate
// keys, ${…}) is handled in load.cc. Values only.
#pragma once

#include <string>
#include <string_view>

#include "config/node.h"

namespace patchbay::config {

// Limits of a file, after aliases are expanded.
inline constexpr std::size_t kMaxNodes = 100'000;
inline constexpr std::size_t kMaxText = std::size_t{16} << 20;
inline constexpr int kMaxNesting = 64;

struct ParseLimits {
  std::size_t nodes = kMaxNodes;
  std::size_t text = kMaxText;
};

Node parse_yaml(std::string_view text, const std::string& name, Faults& faults,
                const ParseLimits& limits = {});
// Comments (`//`, `/* */`) and trailing commas are allowed, as editors write them.
Node parse_json(std::string_view text, const std::string& name, Faults& faults);
// TOML 1.0. Members stand in the order of the file.
Node parse_toml(std::string_view text, const std::string& name, Faults& faults);

}  // namespace patchbay::config
