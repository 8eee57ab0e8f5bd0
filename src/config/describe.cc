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

}  // namespace

FieldShape describe_field(const KeyNames& key, std::string_view meaning, bool required,
                          TypeShape of, std::string default_json) {
  if (required || default_json == "null") default_json.clear();
  FieldShape field;
  field.name = key.name;
  field.alias = key.alias;
  field.meaning = meaning;
  field.type = name_of(of);
  field.default_text = for_people(default_json);
  field.required = required;
  field.bounds = bounds_of(leaf_of(of));
  field.default_json = std::move(default_json);
  field.of = std::move(of);
  return field;
}

TypeShape describe_choice(std::span<const std::string_view> names) {
  TypeShape type;
  type.form = Form::choice;
  type.choices.assign(names.begin(), names.end());
  return type;
}

void append_json(std::string& out, bool value) { out += value ? "true" : "false"; }
void append_json(std::string& out, std::int64_t value) { out += fmt::format("{}", value); }
void append_json(std::string& out, double value) { out += fmt::format("{}", value); }
void append_json(std::string& out, std::string_view value) { json::append_quoted(out, value); }

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
