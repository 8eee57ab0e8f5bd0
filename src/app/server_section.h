// The section `server`: what the gateway states about itself to MCP clients. Values only.
#pragma once

#include <string>

#include "config/settings.h"

namespace patchbay::app {

struct ServerSection {
  std::string instructions;
  config::Bytes max_instructions_size{16 << 10};
  config::Duration instructions_timeout{2'000};
};

}  // namespace patchbay::app

namespace patchbay {

template <>
const config::Fields& config::fields<app::ServerSection>();

}  // namespace patchbay
