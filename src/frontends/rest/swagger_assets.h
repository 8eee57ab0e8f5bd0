// The files of Swagger UI inside the binary. Constant; any thread.
#pragma once

#include <span>
#include <string_view>

namespace patchbay::frontends {

struct WebAsset {
  std::string_view name;
  std::string_view type;
  std::string_view content;
};

// Empty if npm was unreachable when the binary was built.
std::span<const WebAsset> swagger_assets();

}  // namespace patchbay::frontends
