// LeftOut lists what an upstream has and does not offer, and why: its own settings leave it out, or
// it cannot be used. For admins; no caller sees it.
//
// Values only; usable from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/text.h"
#include "mcp/items.h"

namespace patchbay::gateway {

struct LeftOutItem {
  std::optional<mcp::ItemKind> kind;  // Nothing: it is not known.
  std::string name;                   // The upstream's own; empty if it has none.
  std::string why;                    // A sentence; names the setting if one is the reason.

  bool operator==(const LeftOutItem&) const = default;
};

class LeftOut {
 public:
  static constexpr std::size_t kMostItems = 1'000;
  static constexpr std::size_t kMostText = 500;  // Bytes of a name, and of a reason.

  // Further items than kMostItems are only counted.
  void add(std::optional<mcp::ItemKind> kind, std::string_view name, std::string_view why) {
    if (items_.size() == kMostItems) {
      ++more_;
    } else {
      items_.push_back({kind, json::shortened(name, kMostText), json::shortened(why, kMostText)});
    }
  }

  const std::vector<LeftOutItem>& items() const { return items_; }
  std::size_t more() const { return more_; }

  bool operator==(const LeftOut&) const = default;

 private:
  std::vector<LeftOutItem> items_;
  std::size_t more_ = 0;
};

}  // namespace patchbay::gateway
