#include <algorithm>
#include <array>

#include "frontends/openapi.h"
#include "json/edit.h"
#include "json/read.h"

namespace patchbay::frontends {
namespace {

using json::Edit;
using json::Type;

// Keywords whose value is data, not a schema.
constexpr std::array<std::string_view, 5> kData{"enum", "const", "default", "example", "examples"};
// Keywords whose value has schemas under names of the author's choice.
constexpr std::array<std::string_view, 5> kNamed{"properties", "patternProperties", "$defs",
                                                 "definitions", "dependentSchemas"};

bool is_one_of(const auto& words, std::string_view key) {
  return std::ranges::find(words, key) != words.end();
}

void relocate(Edit& edit, std::string_view place);

void relocate_value(Edit& edit, std::string_view place) {
  if (edit.peek() == Type::array) {
    edit.elements([&] { relocate_value(edit, place); });
  } else {
    relocate(edit, place);
  }
}

void relocate_reference(Edit& edit, std::string_view place) {
  const auto raw = edit.take();
  const auto target = json::as_string(raw).value_or("");
  if (target != "#" && !target.starts_with("#/")) return;
  edit.replace(raw, json::quote(std::string(place) + target.substr(1)));
}

void relocate(Edit& edit, std::string_view place) {
  edit.members([&](std::string_view key) {
    if (is_one_of(kData, key)) return edit.keep();
    if (key == "$ref" && edit.peek() == Type::string) {
      relocate_reference(edit, place);
    } else if (is_one_of(kNamed, key)) {
      edit.members([&](std::string_view) {
        relocate_value(edit, place);
        return true;
      });
    } else {
      relocate_value(edit, place);
    }
    return true;
  });
}

}  // namespace

std::string relocated_schema(std::string_view schema, std::string_view place) {
  // One with a name of its own is found by that name, wherever it stands.
  if (json::string_member(schema, "$id")) return std::string(schema);
  Edit edit(schema);
  relocate(edit, place);
  return edit.changed() ? edit.result() : std::string(schema);
}

}  // namespace patchbay::frontends
