#include "frontends/console/assets.h"

#include <algorithm>
#include <array>

// The symbols of the files, and PATCHBAY_CONSOLE_ROWS: one row for each. CMake makes it with
// tools/web_assets.
#include "frontends/console/assets.inc"

namespace patchbay::frontends {
namespace {

// The last row, which is none, is there so that the table is never empty.
const std::array kAssets =
    std::to_array<ConsoleAsset>({PATCHBAY_CONSOLE_ROWS ConsoleAsset{"", "", "", {}, {}}});

}  // namespace

std::span<const ConsoleAsset> console_assets() {
  return std::span(kAssets).first(kAssets.size() - 1);
}

const ConsoleAsset* find_console_asset(std::string_view name) {
  const auto all = console_assets();
  const auto found = std::ranges::find(all, name, &ConsoleAsset::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace patchbay::frontends
