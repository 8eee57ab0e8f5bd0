#include "app/stop_section.h"

#include "config/fields.h"

namespace patchbay {

template <>
const config::Fields& config::fields<app::StopSection>() {
  static const Fields kFields = fields_of<app::StopSection>({
      {"announce_timeout", &app::StopSection::announce,
       "How long the gateway still accepts requests after SIGTERM, while /ready answers 503 and "
       "each response ends its connection, so that load balancers send their clients elsewhere. "
       "Longer than the interval of their checks; 0 where there is one gateway.",
       Range{Duration(0), Duration(3'600'000)}},
      {"drain_timeout", &app::StopSection::grace,
       "Maximum time for calls in progress to finish when the gateway stops.",
       Range{Duration(0), Duration(3'600'000)}, Alias{"grace"}},
      {"upgrade_timeout", &app::StopSection::upgrade_timeout,
       "Maximum time until a new process that replaces this one (SIGUSR2) is ready. After that "
       "it is ended, and this one continues.",
       Range{Duration(1), Duration(3'600'000)}},
      {"handover_timeout", &app::StopSection::handover_timeout,
       "Maximum time for a replaced process to finish its calls. After that it stops as it does "
       "otherwise.",
       Range{Duration(0), Duration(86'400'000)}},
  });
  return kFields;
}

}  // namespace patchbay
