// The settings tables as data at run time: for the reference and the JSON Schema. Values only;
// usable from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/fields.h"

namespace patchbay::config {

struct FieldShape;
struct Variant;

struct Shape {
  std::vector<FieldShape> fields;
};

struct TypeShape {
  Form form = Form::any;
  Limits limits;
  std::vector<std::string> choices;  // Of a choice.
  std::vector<TypeShape> element;    // Of a list or map: one.
  Shape section;                     // Of a section.
  std::vector<Variant> variants;     // Of `any`, when the caller knows the possible types.
  bool or_text = false;              // Of variants: or a string, which the caller parses.
};

// One of the tables that an entry can follow, selected by the value `name` of its member `key`.
struct Variant {
  std::string key;
  std::string name;
  std::string meaning;
  Shape shape;
};

struct FieldShape {
  std::string name;
  std::string alias;  // The old key; empty if there is none.
  std::string meaning;
  std::string type;          // For people: `duration`, `one of a|b|c`, `list of string`, `section`.
  std::string default_text;  // For people; empty if there is none.
  bool required = false;
  std::string bounds;        // For people: `1..64`; empty if there are none.
  std::string default_json;  // Empty if there is none.
  TypeShape of;
};

// Sets the possible entries of the field at the dotted path `field`. REQUIRES: the field exists and
// is a Node, or a list or map of Nodes. An entry without the key is of the first variant. With
// `or_text` an entry can be a string instead.
void attach_variants(Shape& root, std::string_view field, std::vector<Variant> variants,
                     bool or_text = false);

// A reference: one table per section.
std::string to_markdown(const Shape& shape, std::string_view title);

// JSON Schema, draft 2020-12. `id` may be empty.
std::string to_json_schema(const Shape& shape, std::string_view title, std::string_view id);

// The table whose members have the values of `defaults`, a struct that it is about.
Shape shape_of(const Fields& table, const void* defaults);

template <Section S>
Shape shape_of() {
  return shape_of(fields<S>(), &defaults<S>());
}

}  // namespace patchbay::config
