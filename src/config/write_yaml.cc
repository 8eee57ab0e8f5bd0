#include "config/write_yaml.h"

#include <algorithm>
#include <array>

#include "json/text.h"

namespace patchbay::config {
namespace {

// Scalars that some YAML reader takes for something other than a string.
constexpr std::array<std::string_view, 9> kTaken{"true", "false", "yes", "no", "on",
                                                 "off",  "null",  "y",   "n"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// True for a string that needs no quotes anywhere in YAML.
bool is_plain(std::string_view text) {
  if (text.empty() || !(is_letter(text.front()) || text.front() == '/')) return false;
  const auto harmless = [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' || c == '/';
  };
  if (!std::ranges::all_of(text, harmless)) return false;
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::ranges::find(kTaken, lower) == kTaken.end();
}

std::string string_of(std::string_view text) {
  return is_plain(text) ? std::string(text) : json::quote(text);
}

// On one line, like JSON.
void append_flow(std::string& out, const Node& node) {
  std::string_view comma = "";
  switch (node.kind) {
    case Kind::null:
      out += "null";
      return;
    case Kind::scalar:
      out += node.quoted ? string_of(node.text) : node.text;
      return;
    case Kind::list:
      out += '[';
      for (const Node& item : node.items) {
        out += std::exchange(comma, ", ");
        append_flow(out, item);
      }
      out += ']';
      return;
    case Kind::map:
      break;
  }
  out += '{';
  for (const Member& member : node.members) {
    out += std::exchange(comma, ", ");
    out += string_of(member.key) + ": ";
    append_flow(out, member.value);
  }
  out += '}';
}

void append_block(std::string& out, const Node& map, std::size_t indent) {
  for (const auto& [key, line, value] : map.members) {
    out += std::string(indent, ' ') + string_of(key) + ':';
    if (value.kind == Kind::map && !value.members.empty()) {
      out += '\n';
      append_block(out, value, indent + 2);
      continue;
    }
    out += ' ';
    append_flow(out, value);
    out += '\n';
  }
}

}  // namespace

std::string to_yaml(const Node& map) {
  std::string out;
  append_block(out, map, 0);
  return out;
}

}  // namespace patchbay::config
