// The files of the console inside the binary, each as it is and compressed. Constant; any thread.
#pragma once

#include <span>
#include <string_view>

namespace patchbay::frontends {

struct ConsoleAsset {
  std::string_view name;  // Below /console/.
  std::string_view type;
  std::string_view etag;  // Without quotes.
  std::string_view content;
  std::string_view gzip;  // Empty: it would not be smaller.

  // Its name changes with its content.
  bool is_immutable() const { return name.starts_with("assets/"); }
};

// Empty if the binary was built where npm could not be reached.
std::span<const ConsoleAsset> console_assets();

// Null if there is no such file.
const ConsoleAsset* find_console_asset(std::string_view name);

}  // namespace patchbay::frontends
