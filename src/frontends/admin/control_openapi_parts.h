// The parts of the OpenAPI document of the control API that are about what consoles show. Raw
// members, each with a comma behind it. Constant.
#pragma once

#include <string_view>

namespace patchbay::frontends {

extern const std::string_view kMoreControlPaths;
extern const std::string_view kMoreControlParameters;
extern const std::string_view kMoreControlSchemas;

extern const std::string_view kTokenPaths;
extern const std::string_view kTokenParameters;
extern const std::string_view kTokenSchemas;

}  // namespace patchbay::frontends
