// An Index has the position of every value of a JSON text. It is built in one pass with a Cursor;
// then any member or element is reached without reading the text again. The values are in the order
// of the text, so that the first child of a node is the node after it:
//
//   for (auto child = at + 1; child != index[at].next; child = index[child].next) …
//
// Values only; the text outlives the index. Threads may share it unless it is rebuilt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/cursor.h"

namespace patchbay::json {

// The index of a value; the whole text is value 0.
using NodeId = std::uint32_t;

struct Node {
  std::uint32_t begin = 0;  // In the text.
  std::uint32_t size = 0;
  NodeId next = 0;          // The first value after this one and all within.
  std::uint32_t count = 0;  // Of members or elements.
  std::uint32_t key_begin = 0;
  std::uint32_t key_size = 0;
  std::uint32_t key_hash = 0;
  Type type = Type::none;
  bool key_decoded = false;  // The key had escapes: it is in the list of decoded ones.
};

class Index {
 public:
  // Fails on text that is not JSON, has more than `most` values or an object with a duplicate key:
  // readers disagree about which one counts.
  static Result<Index> of(std::string_view text, std::size_t most);

  // Rebuilds the index, reusing its memory.
  Result<void> read(std::string_view text, std::size_t most);

  // Clears it, and frees memory beyond that of `most` values.
  void forget_beyond(std::size_t most);

  const Node& operator[](NodeId at) const { return nodes_[at]; }
  std::size_t size() const { return nodes_.size(); }
  std::string_view raw(NodeId at) const { return text_.substr(nodes_[at].begin, nodes_[at].size); }
  std::string_view key(NodeId at) const {
    const Node& node = nodes_[at];
    const std::string_view from = node.key_decoded ? std::string_view(decoded_keys_) : text_;
    return from.substr(node.key_begin, node.key_size);
  }

  // The text of the string `at`: a slice where it has no escapes, else decoded into `scratch`.
  // REQUIRES: it is a string.
  std::string_view text(NodeId at, std::string& scratch) const;

  // The member `key` of the object `at`; empty if there is none or `at` is not an object.
  std::optional<NodeId> find(NodeId at, std::string_view key) const;

  // The member, or the element by its number, that a token of a JSON pointer names in `at`.
  std::optional<NodeId> child(NodeId at, std::string_view token) const;

  // The JSON pointer of `at`.
  std::string pointer(NodeId at) const;

 private:
  bool build(Cursor& cursor, std::size_t most, std::string& fault);
  void name(Node& node, std::string_view key);
  std::optional<NodeId> repeated_key(NodeId object) const;

  std::string_view text_;
  std::vector<Node> nodes_;
  std::string decoded_keys_;
};

// A hash of a key, constant within one process and unpredictable from outside.
std::uint32_t hash_key(std::string_view key);

// `token` as a part of a JSON pointer: ~ and / are escaped.
std::string pointer_token(std::string_view token);

// The reverse; empty if a ~ is followed by anything but 0 or 1.
std::optional<std::string> unescape_pointer_token(std::string_view token);

}  // namespace patchbay::json
