// The four kinds of items that an MCP server offers, and how each is listed. Facts and values only.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::mcp {

enum class ItemKind : std::uint8_t { tool, prompt, resource, resource_template };

struct ItemInfo {
  std::string_view noun;        // In messages.
  std::string_view list;        // The method that lists them.
  std::string_view member;      // The member of its result.
  std::string_view key;         // The member of an item that names it.
  std::string_view capability;  // The capability of a server that has them.
  std::string_view changed;     // The notification that the list has changed.
};

// Same order as the enum.
inline constexpr std::array kItems{
    ItemInfo{"tool", "tools/list", "tools", "name", "tools", "notifications/tools/list_changed"},
    ItemInfo{"prompt", "prompts/list", "prompts", "name", "prompts",
             "notifications/prompts/list_changed"},
    ItemInfo{"resource", "resources/list", "resources", "uri", "resources",
             "notifications/resources/list_changed"},
    ItemInfo{"resource template", "resources/templates/list", "resourceTemplates", "uriTemplate",
             "resources", "notifications/resources/list_changed"},
};

constexpr const ItemInfo& info(ItemKind kind) { return kItems[static_cast<std::size_t>(kind)]; }

struct Item {
  std::string key;         // A name, a URI or a URI template.
  std::string definition;  // Raw JSON, as received.
  bool listed = true;      // False: it can be called, but clients are not offered it.

  bool operator==(const Item&) const = default;
};

// What one server offers, by kind.
using ItemLists = std::array<std::vector<Item>, kItems.size()>;

constexpr std::vector<Item>& of(ItemLists& lists, ItemKind kind) {
  return lists[static_cast<std::size_t>(kind)];
}
constexpr const std::vector<Item>& of(const ItemLists& lists, ItemKind kind) {
  return lists[static_cast<std::size_t>(kind)];
}

}  // namespace patchbay::mcp
