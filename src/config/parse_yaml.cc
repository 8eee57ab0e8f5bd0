// YAML to Nodes, by the events of yaml-cpp: its own tree loses lines, drops duplicate keys without
// a word and leaves `<<` as a key. The only file that includes yaml-cpp.
#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <sstream>
#include <unordered_map>

#include "config/parse.h"

namespace patchbay::config {
namespace {

// Ends the parse: yaml-cpp hands on what its handler throws.
struct Stop {
  int line;
  std::string message;
};

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

int line_of(const YAML::Mark& mark) { return mark.line + 1; }

// What a subtree costs when an alias repeats it.
struct Size {
  std::size_t nodes = 1;
  std::size_t text = 0;
  int height = 1;
};

Size size_of(const Node& node) {
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

class Builder : public YAML::EventHandler {
 public:
  Builder(const std::string& name, Faults& faults, const ParseLimits& limits)
      : name_(name), faults_(faults), limits_(limits) {}

  Node take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ == 2) {
      throw Stop{line_of(mark), "a second document begins here; the file must hold one"};
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(make(mark, Kind::null), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) throw Stop{line_of(mark), "an alias inside its own anchor"};
    spend(found->second.size, line_of(mark));
    place(Node(found->second.node));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Node node = make(mark, Kind::scalar);
    node.text = value;
    // yaml-cpp marks scalars in quotes and block scalars with the tag "!", bare ones with "?".
    node.quoted = tag == "!";
    apply_tag(node, tag);
    add(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(make(mark, Kind::list), tag, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(make(mark, Kind::map), tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  // A list or map whose end has not come yet.
  struct Level {
    Node node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;     // Of a map: the next value belongs to `key`.
    bool drop_value = false;  // The key was at fault.
    std::string key = {};
    int key_line = 0;
  };
  struct Anchored {
    Node node;
    Size size;
  };

  static Node make(const YAML::Mark& mark, Kind kind) {
    Node node;
    node.kind = kind;
    node.line = line_of(mark);
    return node;
  }

  void fault(int line, std::string message) {
    faults_.push_back({name_, line, path(), std::move(message)});
  }

  std::string path() const {
    std::string path;
    for (const Level& level : open_) {
      if (level.node.kind == Kind::list) path = element_path(path, level.node.items.size());
      if (level.has_key) path = member_path(path, level.key);
    }
    return path;
  }

  void apply_tag(Node& node, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    const std::string_view name =
        tag.starts_with(kTagPrefix) ? std::string_view(tag).substr(kTagPrefix.size()) : "";
    const bool for_scalar =
        name == "str" || name == "int" || name == "float" || name == "bool" || name == "null";
    if (node.kind == Kind::scalar && for_scalar) {
      node.quoted = name == "str";
      if (name == "null") {
        node.kind = Kind::null;
        node.text.clear();
      }
    } else if (!(node.kind == Kind::list && name == "seq") &&
               !(node.kind == Kind::map && name == "map")) {
      fault(node.line, fmt::format("the tag {} is not supported here", tag));
    }
  }

  void spend(const Size& size, int line) {
    nodes_ += size.nodes;
    text_ += size.text;
    if (nodes_ > limits_.nodes || text_ > limits_.text) {
      throw Stop{line, fmt::format("too large once aliases are expanded: more than {} values or {} "
                                   "characters",
                                   limits_.nodes, limits_.text)};
    }
    if (open_.size() + static_cast<std::size_t>(size.height) > kMaxNesting) {
      throw Stop{line, fmt::format("nested more than {} levels deep", kMaxNesting)};
    }
  }

  void open(Node node, const std::string& tag, YAML::anchor_t anchor) {
    spend({}, node.line);
    apply_tag(node, tag);
    open_.push_back({.node = std::move(node), .anchor = anchor});
  }

  void close() {
    Level level = std::move(open_.back());
    open_.pop_back();
    remember(level.node, level.anchor);
    place(std::move(level.node));
  }

  void add(Node node, YAML::anchor_t anchor) {
    spend({1, node.text.size(), 1}, node.line);
    remember(node, anchor);
    place(std::move(node));
  }

  void remember(const Node& node, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = {node, size_of(node)};
  }

  // Puts a finished node where it belongs: the root, a list, or a map as key or value.
  void place(Node node) {
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
      // yaml-cpp places an empty value at whatever comes next, lines below.
      if (node.kind == Kind::null) node.line = level.key_line;
      level.node.members.push_back({std::move(level.key), level.key_line, std::move(node)});
    }
  }

  void take_key(Level& level, Node node) {
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

  const std::string& name_;
  Faults& faults_;
  const ParseLimits limits_;
  Node root_;
  std::vector<Level> open_;
  std::unordered_map<YAML::anchor_t, Anchored> anchors_;
  std::size_t nodes_ = 0;
  std::size_t text_ = 0;
  int documents_ = 0;
};

}  // namespace

Node parse_yaml(std::string_view text, const std::string& name, Faults& faults,
                const ParseLimits& limits) {
  std::istringstream stream{std::string(text)};
  Builder builder(name, faults, limits);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
    return builder.take_root();
  } catch (const Stop& stop) {
    faults.push_back({name, stop.line, "", stop.message});
  } catch (const YAML::Exception& error) {
    faults.push_back({name, line_of(error.mark), "", fmt::format("invalid YAML: {}", error.msg)});
  } catch (const std::exception& error) {
    faults.push_back({name, 0, "", fmt::format("invalid YAML: {}", error.what())});
  }
  return {};
}

}  // namespace patchbay::config
