// What upstreams have and clients are not offered, and why, as admins see it.
//
// Values only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/items.h"
#include "policy/rules/rules.h"

namespace patchbay::frontends {

enum class HiddenReason : std::uint8_t {
  upstream,     // Nothing is known of what the upstream has, or its latest list is refused.
  left_out,     // By the upstream's own settings, or it is unusable.
  drained,      // With its upstream.
  lost,         // With its upstream, which has been down for long.
  pinned,       // Its definition is not the accepted one.
  not_allowed,  // By tools.allow.
  denied,       // By tools.deny.
  off,          // Switched off by an admin.
  unlisted,     // It can be called, and is in no list.
  name,         // Its name belongs to another.
  rules,
};

// In the order of the enum.
inline constexpr std::array<std::string_view, 11> kHiddenReasons{
    "upstream", "left_out", "drained",  "lost", "pinned", "not_allowed",
    "denied",   "off",      "unlisted", "name", "rules"};

constexpr std::string_view name_of(HiddenReason reason) {
  return kHiddenReasons[static_cast<std::size_t>(reason)];
}

// Where a page begins: a row of an upstream.
struct HiddenCursor {
  std::uint64_t catalog = 0;  // The number of the catalog; another one has other rows.
  std::size_t upstream = 0;
  std::size_t row = 0;
};

struct HiddenQuery {
  std::optional<mcp::ItemKind> kind = {};  // Nothing: all, and upstreams as a whole.
  std::string upstream = {};               // Empty: all.
  std::string search = {};                 // In lower case; in names and reasons.
  std::optional<HiddenReason> reason = {};
  // What the rules hide from callers with only this role; empty: what they hide from every role.
  std::string role = {};
  std::shared_ptr<const policy::Rules> rules = {};  // Null: there are none.
  std::optional<HiddenCursor> from = {};
  std::size_t limit = 0;
};

struct HiddenItem {
  std::optional<mcp::ItemKind> kind;  // Nothing: the whole upstream, or it is not known.
  std::string upstream;
  std::string name;  // The upstream's own; empty: the whole upstream, or it has none.
  HiddenReason reason;
  std::string why;  // A sentence that names the setting.
};

struct HiddenItems {
  std::vector<HiddenItem> items;
  std::optional<HiddenCursor> next = {};  // There may be more from here on.
};

}  // namespace patchbay::frontends
