#include "json/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <random>

#include "json/text.h"

namespace patchbay::json {
namespace {

constexpr std::uint32_t kFewMembers = 16;  // Up to this number all pairs of keys are compared.

const std::uint64_t kSeed = [] {
  std::random_device device;
  return static_cast<std::uint64_t>(device()) << 32 | device();
}();

std::uint64_t mix(std::uint64_t hash, std::uint64_t bits) {
  hash = (hash ^ bits) * 0x9E3779B97F4A7C15;
  return hash ^ hash >> 29;
}

template <class Word>
std::uint64_t load(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

}  // namespace

// Eight bytes at a time; the last group overlaps the one before.
std::uint32_t hash_key(std::string_view key) {
  const char* at = key.data();
  std::size_t left = key.size();
  std::uint64_t hash = mix(kSeed, left);
  for (; left > 8; left -= 8, at += 8) hash = mix(hash, load<std::uint64_t>(at));
  std::uint64_t last = 0;
  if (left == 8 || key.size() > 8) {
    last = load<std::uint64_t>(at + left - 8);
  } else if (left >= 4) {
    last = load<std::uint32_t>(at) | load<std::uint32_t>(at + left - 4) << 32;
  } else if (left > 0) {
    last = load<std::uint8_t>(at) | load<std::uint8_t>(at + left / 2) << 8 |
           load<std::uint8_t>(at + left - 1) << 16;
  }
  return static_cast<std::uint32_t>(mix(hash, last) >> 16);
}

std::string pointer_token(std::string_view token) {
  std::string out;
  for (const char c : token) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

std::optional<std::string> unescape_pointer_token(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      out += token[i];
      continue;
    }
    const char next = i + 1 < token.size() ? token[++i] : ' ';
    if (next != '0' && next != '1') return std::nullopt;
    out += next == '0' ? '~' : '/';
  }
  return out;
}

Result<Index> Index::of(std::string_view text, std::size_t most) {
  Index index;
  auto good = index.read(text, most);
  if (!good) return std::move(good).error();
  return index;
}

Result<void> Index::read(std::string_view text, std::size_t most) {
  if (text.size() > std::numeric_limits<std::uint32_t>::max()) {
    return Error{Code::too_large, "the JSON is too large"};
  }
  text_ = text;
  nodes_.clear();
  decoded_keys_.clear();
  Cursor cursor(text);
  std::string fault;
  if (build(cursor, most, fault)) return ok();
  if (cursor.failed()) return cursor.error();
  return Error{nodes_.size() > most ? Code::too_large : Code::parse_error, fault};
}

void Index::forget_beyond(std::size_t most) {
  text_ = {};
  nodes_.clear();
  decoded_keys_.clear();
  if (nodes_.capacity() > most) nodes_.shrink_to_fit();
  if (decoded_keys_.capacity() > most) decoded_keys_.shrink_to_fit();
}

// Without recursion: there are at most as many open nodes as a Cursor allows levels.
bool Index::build(Cursor& cursor, std::size_t most, std::string& fault) {
  std::array<NodeId, kMaxDepth> open;
  std::size_t depth = 0;
  std::string_view key;
  std::string_view raw;
  nodes_.reserve(text_.size() / 16 + 1);
  for (;;) {
    const auto at = static_cast<NodeId>(nodes_.size());
    Node& node = nodes_.emplace_back();
    if (nodes_.size() > most) {
      fault = fmt::format("the JSON has more than {} values", most);
      return false;
    }
    node.type = cursor.peek();
    node.begin = static_cast<std::uint32_t>(cursor.position() - text_.data());
    node.next = at + 1;
    if (depth > 0 && nodes_[open[depth - 1]].type == Type::object) name(node, key);
    if (node.type == Type::object || node.type == Type::array) {
      if (!(node.type == Type::object ? cursor.enter_object() : cursor.enter_array())) return false;
      open[depth++] = at;
    } else {
      if (!cursor.value(raw)) return false;
      node.size = static_cast<std::uint32_t>(raw.size());
    }
    // Continues with the next value, closing every level that ends here.
    for (;;) {
      if (depth == 0) return cursor.finish();
      Node& parent = nodes_[open[depth - 1]];
      if (parent.type == Type::object ? cursor.next_member(key) : cursor.next_element()) {
        ++parent.count;
        break;
      }
      if (cursor.failed()) return false;
      parent.size = static_cast<std::uint32_t>(cursor.position() - text_.data()) - parent.begin;
      parent.next = static_cast<NodeId>(nodes_.size());
      if (const auto again = repeated_key(open[--depth])) {
        fault = fmt::format("the key {} appears twice", quote(shortened(this->key(*again), 80)));
        return false;
      }
    }
  }
}

void Index::name(Node& node, std::string_view key) {
  const std::less_equal<> before;
  if (before(text_.data(), key.data()) && before(key.data(), text_.data() + text_.size())) {
    node.key_begin = static_cast<std::uint32_t>(key.data() - text_.data());
  } else {
    node.key_decoded = true;
    node.key_begin = static_cast<std::uint32_t>(decoded_keys_.size());
    decoded_keys_ += key;
  }
  node.key_size = static_cast<std::uint32_t>(key.size());
  node.key_hash = hash_key(key);
}

std::optional<NodeId> Index::repeated_key(NodeId object) const {
  const Node& node = nodes_[object];
  if (node.type != Type::object || node.count < 2) return std::nullopt;
  const auto same = [this](NodeId a, NodeId b) {
    return nodes_[a].key_hash == nodes_[b].key_hash && key(a) == key(b);
  };
  if (node.count <= kFewMembers) {
    std::array<NodeId, kFewMembers> seen;
    std::size_t count = 0;
    for (NodeId child = object + 1; child != node.next; child = nodes_[child].next) {
      for (std::size_t i = 0; i < count; ++i) {
        if (same(seen[i], child)) return child;
      }
      seen[count++] = child;
    }
    return std::nullopt;
  }
  std::vector<NodeId> sorted;
  sorted.reserve(node.count);
  for (NodeId child = object + 1; child != node.next; child = nodes_[child].next) {
    sorted.push_back(child);
  }
  std::ranges::sort(sorted, [this](NodeId a, NodeId b) {
    if (nodes_[a].key_hash != nodes_[b].key_hash) return nodes_[a].key_hash < nodes_[b].key_hash;
    return key(a) < key(b);
  });
  const auto twice = std::ranges::adjacent_find(sorted, same);
  if (twice == sorted.end()) return std::nullopt;
  return *twice;
}

std::string_view Index::text(NodeId at, std::string& scratch) const {
  const std::string_view quoted = raw(at);
  const std::string_view inside = quoted.substr(1, quoted.size() - 2);
  if (std::memchr(inside.data(), '\\', inside.size()) == nullptr) return inside;
  scratch = unquote_leniently(quoted);
  return scratch;
}

std::optional<NodeId> Index::find(NodeId at, std::string_view wanted) const {
  if (nodes_[at].type != Type::object) return std::nullopt;
  const std::uint32_t hash = hash_key(wanted);
  for (NodeId child = at + 1; child != nodes_[at].next; child = nodes_[child].next) {
    if (nodes_[child].key_hash == hash && key(child) == wanted) return child;
  }
  return std::nullopt;
}

std::optional<NodeId> Index::child(NodeId at, std::string_view token) const {
  if (nodes_[at].type != Type::array) return find(at, token);
  std::uint32_t position = 0;
  const auto [end, fault] = std::from_chars(token.data(), token.data() + token.size(), position);
  const bool number = fault == std::errc() && end == token.data() + token.size();
  if (!number || (token.size() > 1 && token[0] == '0') || position >= nodes_[at].count) {
    return std::nullopt;
  }
  NodeId element = at + 1;
  while (position-- > 0) element = nodes_[element].next;
  return element;
}

std::string Index::pointer(NodeId at) const {
  std::string out;
  NodeId parent = 0;
  while (parent != at) {
    NodeId child = parent + 1;
    std::size_t position = 0;
    for (; nodes_[child].next <= at; child = nodes_[child].next) ++position;
    out += '/';
    out +=
        nodes_[parent].type == Type::object ? pointer_token(key(child)) : std::to_string(position);
    parent = child;
  }
  return out;
}

}  // namespace patchbay::json
