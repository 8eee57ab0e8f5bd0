#include "app/server_section.h"

#include "config/fields.h"

namespace patchbay {

template <>
const config::Fields& config::fields<app::ServerSection>() {
  static const Fields kFields = fields_of<app::ServerSection>({
      {"instructions", &app::ServerSection::instructions,
       "Instructions for models that use the gateway. Those of upstreams follow, each under the "
       "name of its upstream."},
      {"max_instructions_size", &app::ServerSection::max_instructions_size,
       "Maximum size of all instructions together. Longer ones are cut, those of each upstream "
       "to an equal share. 0: no instructions.",
       Range{Bytes{0}, Bytes{1 << 20}}},
      {"instructions_timeout", &app::ServerSection::instructions_timeout,
       "How long `initialize` and `server/discover` wait for upstreams that are starting, whose "
       "instructions are not known before.",
       Range{Duration(0), Duration(60'000)}},
  });
  return kFields;
}

}  // namespace patchbay
