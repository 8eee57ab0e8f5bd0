#include "config/yaml_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/one_of.h"
#include "json/text.h"

namespace patchbay::config {
namespace {

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";
constexpr std::array<std::string_view, 5> kScalarTags{"str", "int", "float", "bool", "null"};
constexpr std::array<std::string_view, 5> kNullScalars{"", "~", "null", "Null", "NULL"};
constexpr std::size_t kMaxQuoted = 100;  // Of a tag or an anchor, in messages.

Node make(Kind kind, int line) {
  Node node;
  node.kind = kind;
  node.line = line;
  return node;
}

// The number of the item or member that comes next.
std::size_t next_in(const Node& node) {
  return node.kind == Kind::list ? node.items.size() : node.members.size();
}

}  // namespace

YamlBuilder::Size YamlBuilder::size_of(const Node& node) {
  Size total{1, node.text.size(), 1};
  const auto include = [&](const Node& child) {
    const Size size = size_of(child);
    total.nodes += size.nodes;
    total.text += size.text;
    total.height = std::max(total.height, size.height + 1);
  };
  for (const Node& item : node.items) include(item);
  for (const Member& member : node.members) {
    include(member.value);
    total.text += member.key.size();
  }
  return total;
}

bool YamlBuilder::begin_document(int line) {
  if (++documents_ < 2) return true;
  return stop(line, "a second document begins here; the file must hold one");
}

bool YamlBuilder::scalar(const YamlProperties& properties, std::string text, bool plain) {
  Node node = make(Kind::scalar, properties.line);
  const auto tag = properties.tag;
  if (tag.empty() && plain && is_one_of(kNullScalars, text)) {
    node.kind = Kind::null;
  } else {
    node.text = std::move(text);
    // The tag `!` means "not resolved", which makes a plain scalar a string too.
    node.quoted = tag == "!" || (tag.empty() && !plain);
    apply_tag(node, tag);
  }
  if (!spend({1, node.text.size(), 1}, node.line)) return false;
  if (const auto id = register_anchor(properties.anchor)) anchors_[id] = {node};
  add(std::move(node));
  return true;
}

bool YamlBuilder::alias(int line, std::string_view anchor) {
  const auto id = anchor_ids_.find(std::string(anchor));
  if (id == anchor_ids_.end()) {
    return stop(line, fmt::format("invalid YAML: the anchor '{}' is not defined",
                                  json::shortened(anchor, kMaxQuoted)));
  }
  const auto found = anchors_.find(id->second);
  if (found == anchors_.end()) return stop(line, "an alias inside its own anchor");
  const Node* const node = find(found->second.path);
  const Node& repeated = node ? *node : found->second.scalar;
  if (!spend(size_of(repeated), line)) return false;
  add(Node(repeated));
  return true;
}

bool YamlBuilder::begin(Kind kind, const YamlProperties& properties) {
  Node node = make(kind, properties.line);
  if (!spend({}, node.line)) return false;
  apply_tag(node, properties.tag);
  open_.push_back({.node = std::move(node), .anchor = register_anchor(properties.anchor)});
  return true;
}

void YamlBuilder::end() {
  Level level = std::move(open_.back());
  open_.pop_back();
  if (level.anchor != 0) anchors_[level.anchor].path = path_here();
  add(std::move(level.node));
}

bool YamlBuilder::stop(int line, std::string message) {
  faults_.push_back({name_, line, "", std::move(message)});
  return false;
}

void YamlBuilder::fault(int line, std::string message) {
  faults_.push_back({name_, line, path(), std::move(message)});
}

std::string YamlBuilder::path() const {
  std::string path;
  for (const Level& level : open_) {
    if (level.node.kind == Kind::list) path = element_path(path, level.node.items.size());
    if (level.has_key) path = member_path(path, level.key);
  }
  return path;
}

// An anchor counts from its position, before its value is complete: an alias inside is a fault.
YamlBuilder::AnchorId YamlBuilder::register_anchor(std::string_view anchor) {
  if (anchor.empty()) return 0;
  return anchor_ids_[std::string(anchor)] = ++last_anchor_;
}

void YamlBuilder::apply_tag(Node& node, std::string_view tag) {
  if (tag.empty() || tag == "!") return;
  const auto name = tag.starts_with(kTagPrefix) ? tag.substr(kTagPrefix.size()) : "";
  if (node.kind == Kind::scalar && is_one_of(kScalarTags, name)) {
    node.quoted = name == "str";
    if (name == "null") {
      node.kind = Kind::null;
      node.text.clear();
    }
  } else if (!(node.kind == Kind::list && name == "seq") &&
             !(node.kind == Kind::map && name == "map")) {
    fault(node.line,
          fmt::format("the tag {} is not supported here", json::shortened(tag, kMaxQuoted)));
  }
}

bool YamlBuilder::spend(const Size& size, int line) {
  nodes_ += size.nodes;
  text_ += size.text;
  if (nodes_ > limits_.nodes || text_ > limits_.text) {
    return stop(line, fmt::format("too large once aliases are expanded: more than {} values or {} "
                                  "characters",
                                  limits_.nodes, limits_.text));
  }
  if (open_.size() + static_cast<std::size_t>(size.height) > kMaxNesting) {
    return stop(line, fmt::format("nested more than {} levels deep", kMaxNesting));
  }
  return true;
}

// Of what is placed next.
YamlBuilder::Path YamlBuilder::path_here() const {
  Path path;
  for (const Level& level : open_) path.push_back(next_in(level.node));
  return path;
}

// Null for no path, and for a node that was dropped with the key at fault.
const Node* YamlBuilder::find(const Path& path) const {
  if (path.empty() || open_.empty()) return nullptr;
  // As far as it goes through what is still open, which is not placed yet.
  std::size_t depth = 0;
  while (depth + 1 < open_.size() && depth + 1 < path.size() &&
         path[depth] == next_in(open_[depth].node)) {
    ++depth;
  }
  const Node* node = &open_[depth].node;
  for (; depth < path.size(); ++depth) {
    if (path[depth] >= next_in(*node)) return nullptr;
    node = node->kind == Kind::list ? &node->items[path[depth]] : &node->members[path[depth]].value;
  }
  return node;
}

// Puts a finished node where it belongs: the root, a list, or a map as key or value.
void YamlBuilder::add(Node node) {
  if (open_.empty()) {
    root_ = std::move(node);
    return;
  }
  Level& level = open_.back();
  if (level.node.kind == Kind::list) {
    level.node.items.push_back(std::move(node));
  } else if (!level.has_key) {
    take_key(level, std::move(node));
  } else {
    level.has_key = false;
    if (level.drop_value) return;
    level.node.members.push_back({std::move(level.key), level.key_line, std::move(node)});
  }
}

void YamlBuilder::take_key(Level& level, Node node) {
  level.drop_value = true;
  if (node.kind != Kind::scalar) {
    fault(node.line, "a key must be a word or a string");
  } else if (node.text == "<<" && !node.quoted) {
    fault(node.line, "merge keys (<<) are not supported; write the keys out");
  } else {
    level.drop_value = false;
  }
  level.key = std::move(node.text);
  level.key_line = node.line;
  level.has_key = true;
}

}  // namespace patchbay::config
