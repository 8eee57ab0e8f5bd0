#include "config/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "json/read.h"

namespace patchbay::config {
namespace {

std::string name_of(const TypeShape& type) {
  switch (type.form) {
    case Form::boolean:
      return "boolean";
    case Form::string:
      return "string";
    case Form::integer:
      return "integer";
    case Form::number:
      return "number";
    case Form::duration:
      return "duration";
    case Form::bytes:
      return "bytes";
    case Form::choice:
      return fmt::format("one of {}", fmt::join(type.choices, "|"));
    case Form::list:
      return fmt::format("list of {}", name_of(type.element.front()));
    case Form::map:
      return fmt::format("map of {}", name_of(type.element.front()));
    case Form::section:
      return "section";
    case Form::optional:  // A TypeShape is of what it may hold.
    case Form::any:
      break;
  }
  if (type.variants.empty()) return "anything";
  return type.or_text ? "section or string" : "section";
}

// The innermost type of lists and maps.
template <class Type>
Type& leaf_of(Type& type) {
  return type.element.empty() ? type : leaf_of(type.element.front());
}

std::string bounds_of(const TypeShape& type) {
  const Limits& limits = type.limits;
  if (!limits.stated) return "";
  switch (type.form) {
    case Form::duration:
      return fmt::format("{}..{}", print(Duration(limits.least)), print(Duration(limits.most)));
    case Form::bytes:
      return fmt::format("{}..{}", print(Bytes{static_cast<std::uint64_t>(limits.least)}),
                         print(Bytes{static_cast<std::uint64_t>(limits.most)}));
    case Form::number:
      return fmt::format("{}..{}", limits.least_number, limits.most_number);
    default:
      return fmt::format("{}..{}", limits.least, limits.most);
  }
}

// A string without its quotes, unless it is empty.
std::string for_people(const std::string& raw) {
  const auto text = json::as_string(raw);
  return text && !text->empty() ? *text : raw;
}

void append_value(std::string& out, const ValueType& type, const void* value);

void append_list(std::string& out, const Container& container, const void* value) {
  out += '[';
  for (std::size_t i = 0; i < container.size(value); ++i) {
    if (i) out += ',';
    append_value(out, container.element(), container.at(value, i).second);
  }
  out += ']';
}

void append_map(std::string& out, const Container& container, const void* value) {
  out += '{';
  for (std::size_t i = 0; i < container.size(value); ++i) {
    const auto [key, element] = container.at(value, i);
    if (i) out += ',';
    json::append_quoted(out, key);
    out += ':';
    append_value(out, container.element(), element);
  }
  out += '}';
}

void append_section(std::string& out, const Fields& table, const void* section) {
  out += '{';
  for (const Field& field : table) {
    if (&field != &table.front()) out += ',';
    json::append_quoted(out, field.name);
    out += ':';
    append_value(out, *field.type, field.in(section));
  }
  out += '}';
}

// Appends the value as JSON.
void append_value(std::string& out, const ValueType& type, const void* value) {
  switch (type.form) {
    case Form::boolean:
      out += *static_cast<const bool*>(value) ? "true" : "false";
      return;
    case Form::string:
      return json::append_quoted(out, *static_cast<const std::string*>(value));
    case Form::integer:
      out += fmt::format("{}", type.get(value));
      return;
    case Form::number:
      out += fmt::format("{}", *static_cast<const double*>(value));
      return;
    case Form::duration:
      return json::append_quoted(out, print(*static_cast<const Duration*>(value)));
    case Form::bytes:
      return json::append_quoted(out, print(*static_cast<const Bytes*>(value)));
    case Form::choice:
      if (const auto index = static_cast<std::size_t>(type.get(value)); index < type.names.size()) {
        return json::append_quoted(out, type.names[index]);
      }
      break;
    case Form::optional:
      if (type.container.size(value) == 0) break;
      return append_value(out, type.container.element(), type.container.at(value, 0).second);
    case Form::list:
      return append_list(out, type.container, value);
    case Form::map:
      return append_map(out, type.container, value);
    case Form::section:
      return append_section(out, type.fields(), value);
    case Form::any:
      break;
  }
  out += "null";
}

TypeShape type_of(const ValueType& type, const Limits& limits) {
  if (type.form == Form::optional) return type_of(type.container.element(), limits);
  TypeShape shape;
  shape.form = type.form;
  if (type.form == Form::choice) {
    shape.choices.assign(type.names.begin(), type.names.end());
    return shape;
  }
  shape.limits = limits;
  shape.limits.least = std::max(limits.least, type.least);
  shape.limits.most = std::min(limits.most, type.most);
  if (type.form == Form::section) shape.section = shape_of(type.fields(), type.defaults());
  if (type.form == Form::list || type.form == Form::map) {
    shape.element.push_back(type_of(type.container.element(), limits));
  }
  return shape;
}

FieldShape shape_of_field(const Field& field, const void* defaults) {
  FieldShape shape;
  shape.of = type_of(*field.type, field.limits);
  shape.name = field.name;
  shape.alias = field.alias;
  shape.meaning = field.meaning;
  shape.type = name_of(shape.of);
  shape.required = field.required;
  shape.bounds = bounds_of(leaf_of(shape.of));
  // The members of a section have defaults of their own.
  if (field.required || field.type->form == Form::section) return shape;
  append_value(shape.default_json, *field.type, field.in(defaults));
  if (shape.default_json == "null") shape.default_json.clear();
  shape.default_text = for_people(shape.default_json);
  return shape;
}

}  // namespace

Shape shape_of(const Fields& table, const void* defaults) {
  Shape shape;
  for (const Field& field : table) shape.fields.push_back(shape_of_field(field, defaults));
  return shape;
}

void attach_variants(Shape& root, std::string_view field, std::vector<Variant> variants,
                     bool or_text) {
  Shape* shape = &root;
  for (;;) {
    const std::size_t dot = field.find('.');
    const auto found = std::ranges::find(shape->fields, field.substr(0, dot), &FieldShape::name);
    if (found == shape->fields.end()) return;
    TypeShape& leaf = leaf_of(found->of);
    if (dot == std::string_view::npos) {
      leaf.variants = std::move(variants);
      leaf.or_text = or_text;
      found->type = name_of(found->of);
      return;
    }
    shape = &leaf.section;
    field.remove_prefix(dot + 1);
  }
}

}  // namespace patchbay::config
