#include "config/to_json.h"

#include "json/read.h"
#include "json/write.h"

namespace patchbay::config {
namespace {

std::string scalar(const Node& node) {
  const bool word = node.text == "true" || node.text == "false" || node.text == "null";
  const bool number = !node.text.empty() &&
                      (node.text[0] == '-' || (node.text[0] >= '0' && node.text[0] <= '9')) &&
                      json::check(node.text);
  return !node.quoted && (word || number) ? node.text : json::quote(node.text);
}

}  // namespace

std::string to_json(const Node& node) {
  std::string out;
  switch (node.kind) {
    case Kind::null:
      return "null";
    case Kind::scalar:
      return scalar(node);
    case Kind::list:
      for (const auto& item : node.items) out += (out.empty() ? "[" : ",") + to_json(item);
      return out.empty() ? "[]" : out + "]";
    case Kind::map:
      break;
  }
  json::Object object(out);
  for (const auto& [key, line, value] : node.members) object.raw(key, to_json(value));
  object.end();
  return out;
}

}  // namespace patchbay::config
