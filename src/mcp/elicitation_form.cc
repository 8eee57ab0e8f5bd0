#include "mcp/elicitation_form.h"

#include <fmt/format.h>

#include "json/read.h"

namespace patchbay::mcp {
namespace {

// `[{"const":"a","title":"A"},…]` as the members `enum` and `enumNames`.
std::string named_values(std::string_view options) {
  std::string values;
  std::string names;
  json::each_element(options, [&](std::string_view option) {
    const auto value = json::member(option, "const");
    if (!value) return;
    if (!values.empty()) {
      values += ',';
      names += ',';
    }
    values += *value;
    names += json::member(option, "title").value_or(*value);
  });
  return fmt::format("\"enum\":[{}],\"enumNames\":[{}]", values, names);
}

bool shape_field(json::Edit& edit) {
  std::string type;
  std::string_view options;
  bool has_values = false;
  const auto field = edit.members([&](std::string_view key) {
    if (key == "type") {
      type = json::as_string(edit.take()).value_or("");
      return true;
    }
    if (key == "oneOf") {
      options = edit.take();
      return false;
    }
    has_values |= key == "enum";
    // Only booleans had a default.
    return edit.keep_if(key != "default" || edit.peek() == json::Type::boolean);
  });
  if (!options.empty() && !has_values) edit.add(field, named_values(options));
  return type != "array";
}

}  // namespace

bool shape_form(json::Edit& edit) {
  bool possible = true;
  edit.members([&](std::string_view key) {
    if (key == "$schema") return edit.drop();
    if (key != "properties") return edit.keep();
    edit.members([&](std::string_view) {
      possible &= shape_field(edit);
      return true;
    });
    return true;
  });
  return possible;
}

}  // namespace patchbay::mcp
