#include "policy/rates/settings.h"

#include "config/fields.h"

namespace patchbay {

template <>
const config::Fields& config::fields<policy::RateSettings>() {
  static const Fields kFields = fields_of<policy::RateSettings>({
      {"per", &policy::RateSettings::per,
       "What the limit applies to: each principal, each client address, each tool, each "
       "upstream, or all calls together (everyone)."},
      {"tools", &policy::RateSettings::of,
       "Patterns of tools, as upstream.tool. Absent: all calls.", Alias{"of"}},
      {"roles", &policy::RateSettings::roles,
       "Roles of the callers to which the limit applies. Absent: all callers."},
      {"max_calls", &policy::RateSettings::calls,
       "Maximum number of calls per window. 0: no limit.", Range{0, 1'000'000'000}, Alias{"calls"}},
      {"window", &policy::RateSettings::window, "Duration of the window for `max_calls`.",
       Range{Duration(100), Duration(86'400'000)}},
      {"burst", &policy::RateSettings::burst,
       "Number of calls that may arrive at once. 0: as many as `max_calls`.",
       Range{0, 1'000'000'000}},
      {"max_concurrent_calls", &policy::RateSettings::running,
       "Maximum number of calls in progress. 0: no limit.", Range{0, 1'000'000}, Alias{"running"}},
  });
  return kFields;
}

}  // namespace patchbay
