// The section `cluster`: what gateways that act as one have in common, and what one gateway needs
// to go on after a restart.
//
// Values only.
#pragma once

#include <string>
#include <vector>

#include "config/node.h"
#include "config/settings.h"

namespace patchbay::app {

struct ClusterSection {
  std::vector<std::string> keys;
};

// Adds a fault for each key that could be guessed.
void check_cluster(const ClusterSection& section, const config::Node& root, const std::string& file,
                   config::Faults& faults);

}  // namespace patchbay::app

namespace patchbay {

template <>
const config::Fields& config::fields<app::ClusterSection>();

}  // namespace patchbay
