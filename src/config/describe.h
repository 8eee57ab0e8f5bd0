// The settings tables as data at run time: for the reference and the JSON Schema. Values only;
// usable from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/fields.h"

namespace patchbay::config {

enum class Form : std::uint8_t {
  boolean,
  string,
  integer,
  number,
  duration,
  bytes,
  choice,
  list,
  map,
  section,
  any,
};

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

// The steps of shape_of() that need no templates.
FieldShape describe_field(const KeyNames& key, std::string_view meaning, bool required,
                          TypeShape of, std::string default_json);
TypeShape describe_choice(std::span<const std::string_view> names);
void append_json(std::string& out, bool value);
void append_json(std::string& out, std::int64_t value);
void append_json(std::string& out, double value);
void append_json(std::string& out, std::string_view value);

template <class T>
void append_value(std::string& out, const T& value);

template <Section S>
void append_section(std::string& out, const S& value) {
  std::string_view comma = "";
  const auto append = [&](const auto& field) {
    out += comma;
    append_json(out, field.name);
    out += ':';
    append_value(out, value.*field.member);
    comma = ",";
  };
  out += '{';
  std::apply([&](const auto&... field) { (append(field), ...); }, fields<S>);
  out += '}';
}

// Appends `value` as JSON.
template <class T>
void append_value(std::string& out, const T& value) {
  std::string_view comma = "";
  if constexpr (Section<T>) {
    append_section(out, value);
  } else if constexpr (std::same_as<T, Node>) {
    out += "null";
  } else if constexpr (Made<T>::optional) {
    if (value) return append_value(out, *value);
    out += "null";
  } else if constexpr (Made<T>::list) {
    out += '[';
    for (const auto& element : value) {
      out += std::exchange(comma, ",");
      append_value(out, element);
    }
    out += ']';
  } else if constexpr (Made<T>::dict) {
    out += '{';
    for (const auto& [key, element] : value) {
      out += std::exchange(comma, ",");
      append_json(out, std::string_view(key));
      out += ':';
      append_value(out, element);
    }
    out += '}';
  } else if constexpr (Enumerated<T>) {
    for (const auto& choice : choices<T>) {
      if (choice.value == value) return append_json(out, choice.name);
    }
    out += "null";
  } else if constexpr (std::same_as<T, Duration> || std::same_as<T, Bytes>) {
    append_json(out, std::string_view(print(value)));
  } else if constexpr (Whole<T>) {
    append_json(out, static_cast<std::int64_t>(value));
  } else if constexpr (std::same_as<T, std::string>) {
    append_json(out, std::string_view(value));
  } else {
    append_json(out, value);
  }
}

template <Section S>
Shape shape_of();

template <class T>
TypeShape type_of(Limits limits) {
  TypeShape type;
  type.limits = limits;
  if constexpr (Section<T>) {
    type.form = Form::section;
    type.section = shape_of<T>();
  } else if constexpr (Made<T>::optional) {
    return type_of<typename Made<T>::Element>(limits);
  } else if constexpr (Made<T>::list || Made<T>::dict) {
    type.form = Made<T>::list ? Form::list : Form::map;
    type.element.push_back(type_of<typename Made<T>::Element>(limits));
  } else if constexpr (Enumerated<T>) {
    constexpr auto kNames = choice_names<T>();
    return describe_choice(kNames);
  } else if constexpr (std::same_as<T, bool>) {
    type.form = Form::boolean;
  } else if constexpr (Whole<T>) {
    type.form = Form::integer;
    type.limits = limits_of<T>(limits);
  } else if constexpr (std::same_as<T, double>) {
    type.form = Form::number;
  } else if constexpr (std::same_as<T, Duration>) {
    type.form = Form::duration;
  } else if constexpr (std::same_as<T, Bytes>) {
    type.form = Form::bytes;
  } else if constexpr (std::same_as<T, std::string>) {
    type.form = Form::string;
  }
  return type;
}

template <class S, class Class, class Type>
FieldShape shape_of_field(const S& defaults, const Field<Class, Type>& field) {
  std::string default_json;
  // The members of a section have defaults of their own.
  if constexpr (!Section<Type>) append_value(default_json, defaults.*field.member);
  return describe_field({field.name, field.alias}, field.meaning, field.required,
                        type_of<Type>(field.limits), std::move(default_json));
}

template <Section S>
Shape shape_of() {
  const S defaults{};
  Shape shape;
  const auto add = [&](const auto& field) {
    shape.fields.push_back(shape_of_field(defaults, field));
  };
  std::apply([&](const auto&... field) { (add(field), ...); }, fields<S>);
  return shape;
}

}  // namespace patchbay::config
