#include "app/ready_section.h"

#include "config/fields.h"

namespace patchbay {

template <>
const config::Fields& config::fields<app::ReadySection>() {
  static const Fields kFields = fields_of<app::ReadySection>({
      {"required_upstreams", &app::ReadySection::upstreams,
       "Upstreams that must be up, by name; `*` stands for any characters. While one of them is "
       "down, `/ready` answers 503. Any other that is down makes the gateway `degraded`, which "
       "is answered with 200."},
  });
  return kFields;
}

}  // namespace patchbay
