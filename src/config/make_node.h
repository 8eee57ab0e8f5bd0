// Nodes that are not from a file: the program itself adds them to a configuration. Values only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/node.h"

namespace patchbay::config {

// A number, a boolean or a choice.
inline Node bare_node(std::string_view text) {
  Node node;
  node.kind = Kind::scalar;
  node.text = text;
  return node;
}

// A string, whatever its content.
inline Node text_node(std::string_view text) {
  Node node = bare_node(text);
  node.quoted = true;
  return node;
}

inline Node list_node(const std::vector<std::string>& texts) {
  Node node;
  node.kind = Kind::list;
  for (const auto& text : texts) node.items.push_back(text_node(text));
  return node;
}

inline Node map_node(std::vector<Member> members) {
  Node node;
  node.kind = Kind::map;
  node.members = std::move(members);
  return node;
}

inline void add_member(Node& map, std::string_view key, Node value) {
  map.members.push_back({std::string(key), 0, std::move(value)});
}

}  // namespace patchbay::config
