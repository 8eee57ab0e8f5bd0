// The settings of the REST front end. Values only.
#pragma once

#include <string>

#include "config/fields.h"

namespace patchbay::frontends {

struct RestSettings {
  bool enabled = true;
  std::string topology;
  bool openapi = true;
  bool swagger_ui = true;
};

}  // namespace patchbay::frontends

namespace patchbay {

template <>
inline constexpr auto config::fields<frontends::RestSettings> = std::tuple{
    Field{"enabled", &frontends::RestSettings::enabled,
          "Whether tools and resources are served at /mcp/v1, /api, /rcs and /agents."},
    Field{"topology", &frontends::RestSettings::topology,
          "Name NAME under which /mcp/v1 is also served at /gateway/NAME/mcp/v1."},
    Field{
        "openapi", &frontends::RestSettings::openapi,
        "Whether the OpenAPI document is served at /v3/api-docs, /openapi.json and /openapi.yaml."},
    Field{"swagger_ui", &frontends::RestSettings::swagger_ui,
          "Whether Swagger UI is served at /swagger-ui/index.html."},
};

}  // namespace patchbay
