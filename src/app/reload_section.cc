#include "app/reload_section.h"

#include "config/fields.h"

namespace patchbay {

template <>
const config::Fields& config::fields<app::ReloadSection>() {
  static const Fields kFields = fields_of<app::ReloadSection>({
      {"stable_interval", &app::ReloadSection::stable_interval,
       "How long the configuration files must stay unchanged before they are loaded.",
       Range{Duration(10), Duration(60'000)}},
      {"allow_weaker", &app::ReloadSection::allow_weaker,
       "Whether a reload may weaken the protection of the running gateway, for example remove "
       "`auth` or `rules`. The running configuration decides, not the new one."},
      {"max_history", &app::ReloadSection::max_history,
       "Number of reloads, applied and refused, that are stored for admins until the gateway "
       "stops. The oldest are discarded.",
       Range{0, 10'000}},
  });
  return kFields;
}

}  // namespace patchbay
