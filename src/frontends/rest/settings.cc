#include "frontends/rest/settings.h"

#include "config/fields.h"

namespace patchbay {

template <>
const config::Fields& config::fields<frontends::RestSettings>() {
  static const Fields kFields = fields_of<frontends::RestSettings>({
      {"enabled", &frontends::RestSettings::enabled,
       "Whether tools and resources are served at /mcp/v1, /api, /rcs and /agents."},
      {"topology", &frontends::RestSettings::topology,
       "Name NAME under which /mcp/v1 is also served at /gateway/NAME/mcp/v1."},
      {"openapi", &frontends::RestSettings::openapi,
       "Whether the OpenAPI document is served at /v3/api-docs, /openapi.json and /openapi.yaml."},
      {"swagger_ui", &frontends::RestSettings::swagger_ui,
       "Whether Swagger UI is served at /swagger-ui/index.html."},
  });
  return kFields;
}

}  // namespace patchbay
