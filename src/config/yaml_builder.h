// A YamlBuilder turns the events of a YAML parser into Nodes. It resolves aliases, and it bounds
// what they repeat: the result may not have more values, text or levels than the limits allow.
//
// Knows no parser; parse_yaml.cc feeds it. Used by one thread at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/parse.h"

namespace patchbay::config {

// The tag and the anchor of a value, and its position. Empty: none.
struct YamlProperties {
  int line = 0;
  std::string_view tag;  // Resolved: `tag:yaml.org,2002:str` for `!!str`.
  std::string_view anchor;
};

class YamlBuilder {
 public:
  YamlBuilder(const std::string& name, Faults& faults, const ParseLimits& limits)
      : name_(name), faults_(faults), limits_(limits) {}

  // Each yields false if the parse must end; the fault has been added then.
  bool begin_document(int line);
  bool scalar(const YamlProperties& properties, std::string text, bool plain);
  bool alias(int line, std::string_view anchor);
  bool begin_list(const YamlProperties& properties) { return begin(Kind::list, properties); }
  bool begin_map(const YamlProperties& properties) { return begin(Kind::map, properties); }
  void end();  // Of the innermost list or map.

  Node take_root() { return std::move(root_); }

 private:
  using AnchorId = std::size_t;           // 0 for none. A name that is given again gets another id.
  using Path = std::vector<std::size_t>;  // From the root: the number of an item or member each.

  // What a subtree costs when an alias repeats it.
  struct Size {
    std::size_t nodes = 1;
    std::size_t text = 0;
    int height = 1;
  };
  // A list or map whose end has not come yet.
  struct Level {
    Node node;
    AnchorId anchor = 0;
    bool has_key = false;     // Of a map: the next value belongs to `key`.
    bool drop_value = false;  // The key was at fault.
    std::string key = {};
    int key_line = 0;
  };
  // A list or map with an anchor stays where it is: copies of nested ones would be many times the
  // text. A scalar may also be a key, which has no place, and is copied.
  struct Anchored {
    Node scalar;
    Path path = {};
  };

  static Size size_of(const Node& node);
  bool stop(int line, std::string message);
  void fault(int line, std::string message);
  std::string path() const;
  AnchorId register_anchor(std::string_view anchor);
  void apply_tag(Node& node, std::string_view tag);
  bool spend(const Size& size, int line);
  bool begin(Kind kind, const YamlProperties& properties);
  Path path_here() const;
  const Node* find(const Path& path) const;
  void add(Node node);
  void take_key(Level& level, Node node);

  const std::string& name_;
  Faults& faults_;
  const ParseLimits limits_;
  Node root_;
  std::vector<Level> open_;
  std::unordered_map<std::string, AnchorId> anchor_ids_;
  std::unordered_map<AnchorId, Anchored> anchors_;
  std::size_t nodes_ = 0;
  std::size_t text_ = 0;
  AnchorId last_anchor_ = 0;
  int documents_ = 0;
};

}  // namespace patchbay::config
