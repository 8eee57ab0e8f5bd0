// The section `server`: what the gateway states about itself to MCP clients. Values only.
#pragma once

#include <string>

#include "config/fields.h"

namespace patchbay::app {

struct ServerSection {
  std::string instructions;
  config::Bytes max_instructions_size{16 << 10};
  config::Duration instructions_timeout{2'000};
};

}  // namespace patchbay::app

namespace patchbay {

template <>
inline constexpr auto config::fields<app::ServerSection> = std::tuple{
    Field{"instructions", &app::ServerSection::instructions,
          "Instructions for models that use the gateway. Those of upstreams follow, each under the "
          "name of its upstream."},
    Field{"max_instructions_size", &app::ServerSection::max_instructions_size,
          "Maximum size of all instructions together. Longer ones are cut, those of each upstream "
          "to an equal share. 0: no instructions.",
          Range{Bytes{0}, Bytes{1 << 20}}},
    Field{"instructions_timeout", &app::ServerSection::instructions_timeout,
          "How long `initialize` and `server/discover` wait for upstreams that are starting, whose "
          "instructions are not known before.",
          Range{Duration(0), Duration(60'000)}},
};

}  // namespace patchbay
