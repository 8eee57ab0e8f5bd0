#include "config/digest.h"

#include <fmt/format.h>

#include <algorithm>

namespace patchbay::config {
namespace {

// FNV-1a, 64 bits.
class Hash {
 public:
  void add(std::string_view bytes) {
    for (const char byte : bytes) {
      state_ = (state_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
    }
  }
  // With its length in front, so that adjacent texts cannot be confused.
  void add_text(std::string_view text) {
    add(fmt::format("{}:", text.size()));
    add(text);
  }
  std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

// True for an unquoted scalar that a reader might take for a number or a boolean; quotes around it
// change its meaning.
bool reads_as_other_than_string(const Node& scalar) {
  if (scalar.quoted || scalar.text.empty()) return false;
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  std::string text = scalar.text;
  std::ranges::transform(text, text.begin(), lower);
  return text == "true" || text == "false" || text == "null" || text == "~" ||
         std::string_view("+-.0123456789").find(text.front()) != std::string_view::npos;
}

void add(Hash& hash, const Node& node) {
  switch (node.kind) {
    case Kind::null:
      hash.add("n");
      return;
    case Kind::scalar:
      hash.add(reads_as_other_than_string(node) ? "p" : "s");
      hash.add_text(node.text);
      return;
    case Kind::list:
      hash.add(fmt::format("l{}:", node.items.size()));
      for (const Node& item : node.items) add(hash, item);
      return;
    case Kind::map:
      break;
  }
  std::vector<const Member*> members;
  for (const Member& member : node.members) members.push_back(&member);
  std::ranges::sort(members, {},
                    [](const Member* member) -> const std::string& { return member->key; });
  hash.add(fmt::format("m{}:", members.size()));
  for (const Member* member : members) {
    hash.add_text(member->key);
    add(hash, member->value);
  }
}

}  // namespace

std::string digest(const Node& node) {
  Hash hash;
  add(hash, node);
  return fmt::format("{:016x}", hash.state());
}

}  // namespace patchbay::config
