#include "config/to_json.h"

#include <algorithm>
#include <array>

#include "config/load.h"
#include "config/one_of.h"
#include "json/read.h"

namespace patchbay::config {
namespace {

const std::string kName = "document";  // In front of the line of a fault.
constexpr std::array<std::string_view, 3> kTrue{"true", "True", "TRUE"};
constexpr std::array<std::string_view, 3> kFalse{"false", "False", "FALSE"};
constexpr std::array<std::string_view, 4> kNullNames{"null", "Null", "NULL", "~"};

// A bare scalar that JSON writes the same way is that number. Numbers of YAML only (0x1F, .5, .inf)
// stay strings, which readers of OpenAPI documents accept.
bool is_number(std::string_view text) {
  if (text.empty() || !(text[0] == '-' || (text[0] >= '0' && text[0] <= '9'))) return false;
  return static_cast<bool>(json::check(text));
}

void append_scalar(std::string& out, const Node& node) {
  if (!node.quoted && is_one_of(kTrue, node.text)) {
    out += "true";
  } else if (!node.quoted && is_one_of(kFalse, node.text)) {
    out += "false";
  } else if (!node.quoted && (node.text.empty() || is_one_of(kNullNames, node.text))) {
    out += "null";
  } else if (!node.quoted && is_number(node.text)) {
    out += node.text;
  } else {
    json::append_quoted(out, node.text);
  }
}

// As deep as the parser allows.
void append(std::string& out, const Node& node) {
  std::string_view comma = "";
  switch (node.kind) {
    case Kind::null:
      out += "null";
      return;
    case Kind::scalar:
      append_scalar(out, node);
      return;
    case Kind::list:
      out += '[';
      for (const Node& item : node.items) {
        out += std::exchange(comma, ",");
        append(out, item);
      }
      out += ']';
      return;
    case Kind::map:
      break;
  }
  out += '{';
  for (const Member& member : node.members) {
    out += std::exchange(comma, ",");
    json::append_quoted(out, member.key);
    out += ':';
    append(out, member.value);
  }
  out += '}';
}

}  // namespace

std::string to_json(const Node& node) {
  std::string out;
  append(out, node);
  return out;
}

Result<std::string> to_json(std::string_view text, const ParseLimits& limits) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  if (text.substr(first).starts_with('{')) {
    const auto checked = json::check(text);
    if (!checked) return checked.error();
    return std::string(text);
  }
  Faults faults;
  Node root;
  if (is_plain_text(text, kName, faults)) root = parse_yaml(text, kName, faults, limits);
  if (!faults.empty()) return Error{Code::parse_error, to_string(faults.front())};
  return to_json(root);
}

}  // namespace patchbay::config
