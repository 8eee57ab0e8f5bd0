// A configuration can name upstreams in several ways: `upstreams` in our own form, `servers` as a
// list of endpoints, and the sections of other clients, which client_file.h has put into our form.
// Here they all become one: a name, a kind, and a map of that kind's settings. Values only.
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
  std::string kind;   // As given; it may be one that is not in the build.
  config::Node node;  // A map. Its member `kind`, if it has one, says the same as `kind`.
  std::string path;   // Where it stands, for faults.
};

// Whether `root` says anything about upstreams, even that there are none.
bool names_upstreams(const config::Node& root);

// Every upstream that `root` names, in the order of the file. Adds a fault for each that cannot be
// read; `separator` is what no name may contain.
std::vector<UpstreamEntry> upstream_entries(const config::Node& root, const std::string& file,
                                            std::string_view separator, config::Faults& faults);

}  // namespace patchbay::app
