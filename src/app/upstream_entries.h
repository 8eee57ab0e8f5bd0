// All forms in which a configuration can name upstreams: `upstreams` in our own form, `servers` as
// a list of endpoints, and the sections of other clients, which client_file.h has translated into
// our form. The result is always the same: a name, a kind, and a map of the settings of that kind.
//
// Values only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/node.h"

namespace patchbay::app {

inline constexpr std::size_t kMostUpstreamName = 64;  // Bytes.

struct UpstreamEntry {
  std::string name;
  std::string kind;   // As given; the build may not have it.
  config::Node node;  // A map. Its member `kind`, if present, equals `kind`.
  std::string path;   // Its location, for faults.
};

// Whether `root` has a section about upstreams, even an empty one.
bool names_upstreams(const config::Node& root);

// Every upstream that `root` names, in the order of the file. Adds a fault for each that cannot be
// read; `separator` is what no name may contain.
std::vector<UpstreamEntry> upstream_entries(const config::Node& root, const std::string& file,
                                            std::string_view separator, config::Faults& faults);

}  // namespace patchbay::app
