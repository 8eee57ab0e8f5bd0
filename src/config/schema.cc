// The settings as a JSON Schema. It accepts what fields.h accepts, except null for "the default":
// an editor does better to point at an empty value.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "config/describe.h"
#include "json/text.h"

namespace patchbay::config {
namespace {

// A JSON object being written.
class Object {
 public:
  Object& add(std::string_view key, std::string_view raw) {
    if (!members_.empty()) members_ += ',';
    json::append_quoted(members_, key);
    members_ += ':';
    members_ += raw;
    return *this;
  }
  Object& add_text(std::string_view key, std::string_view text) {
    return text.empty() ? *this : add(key, json::quote(text));
  }
  bool empty() const { return members_.empty(); }
  std::string text() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

std::string array(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(json::quote(text));
  return fmt::format("[{}]", fmt::join(quoted, ","));
}

class Writer {
 public:
  std::string root(const Shape& shape, std::string_view title, std::string_view id) {
    Object object;
    object.add_text("$schema", "https://json-schema.org/draft/2020-12/schema");
    object.add_text("$id", id).add_text("title", title);
    add_section(object, shape, nullptr, "");
    if (!definitions_.empty()) object.add("$defs", definitions_.text());
    return object.text();
  }

 private:
  // `variant` is set if the section is one of several: its key then has one value.
  void add_section(Object& object, const Shape& shape, const Variant* variant,
                   const std::string& path) {
    Object properties;
    std::vector<std::string> required;
    bool has_key = false;
    for (const FieldShape& field : shape.fields) {
      const bool is_key = variant && field.name == variant->key;
      has_key |= is_key;
      properties.add(field.name, is_key ? key_of(*variant) : field_of(field, path));
      if (!field.alias.empty()) properties.add(field.alias, alias_of(field, path));
      // The key may be left out of the first variant, whatever the table has; a field with an old
      // key may be given under that.
      if (field.required && !is_key && field.alias.empty()) required.push_back(field.name);
    }
    if (variant && !has_key) properties.add(variant->key, key_of(*variant));
    object.add_text("type", "object").add("properties", properties.text());
    if (!required.empty()) object.add("required", array(required));
    object.add("additionalProperties", "false");
  }

  static std::string key_of(const Variant& variant) {
    return Object().add_text("description", variant.meaning).add_text("const", variant.name).text();
  }

  std::string field_of(const FieldShape& field, const std::string& path) {
    Object object;
    object.add_text("description", field.meaning);
    if (!field.default_json.empty()) object.add("default", field.default_json);
    add_type(object, field.of, member_path(path, field.name));
    if (field.required && field.of.form == Form::string) object.add("minLength", "1");
    return object.text();
  }

  // The old key of a field: an editor accepts it and strikes it through.
  std::string alias_of(const FieldShape& field, const std::string& path) {
    Object object;
    object.add_text("description", fmt::format("Now called `{}`.", field.name));
    object.add("deprecated", "true");
    add_type(object, field.of, member_path(path, field.alias));
    return object.text();
  }

  std::string type_of(const TypeShape& type, const std::string& path) {
    Object object;
    add_type(object, type, path);
    return object.text();
  }

  void add_type(Object& object, const TypeShape& type, const std::string& path) {
    switch (type.form) {
      case Form::boolean:
        object.add_text("type", "boolean");
        return;
      // An unquoted number or boolean is accepted as a string.
      case Form::string:
        object.add("type", R"(["string","number","boolean"])");
        return;
      case Form::integer:
        object.add_text("type", "integer");
        add_limits(object, type.limits);
        return;
      case Form::number:
        object.add_text("type", "number");
        if (!type.limits.stated) return;
        object.add("minimum", fmt::format("{}", type.limits.least_number));
        object.add("maximum", fmt::format("{}", type.limits.most_number));
        return;
      case Form::duration:
        // The only number that needs no unit is 0.
        object.add("type", R"(["string","integer"])").add_text("pattern", kDurationPattern);
        object.add("minimum", "0").add("maximum", "0");
        return;
      case Form::bytes:
        object.add("type", R"(["string","integer"])").add_text("pattern", kBytesPattern);
        object.add("minimum", fmt::format("{}", std::max<std::int64_t>(type.limits.least, 0)));
        if (type.limits.stated) object.add("maximum", fmt::format("{}", type.limits.most));
        return;
      case Form::choice:
        object.add("enum", array(type.choices));
        return;
      case Form::list:
        object.add_text("type", "array").add("items", type_of(type.element.front(), path));
        return;
      case Form::map:
        object.add_text("type", "object");
        object.add("additionalProperties", type_of(type.element.front(), path));
        return;
      case Form::section:
        add_section(object, type.section, nullptr, path);
        return;
      case Form::optional:  // A TypeShape is of what it may hold.
      case Form::any:
        if (!type.variants.empty()) add_variants(object, type, path);
        return;
    }
  }

  // Bounds that follow from the type are omitted, except the sign.
  static void add_limits(Object& object, const Limits& limits) {
    if (limits.stated || limits.least == 0) {
      object.add("minimum", fmt::format("{}", limits.least));
    }
    if (limits.stated) object.add("maximum", fmt::format("{}", limits.most));
  }

  // if/then for each value of the key instead of oneOf: an editor then reports the faults of the
  // selected variant only.
  void add_variants(Object& object, const TypeShape& type, const std::string& path) {
    const std::vector<Variant>& variants = type.variants;
    const std::string& key = variants.front().key;
    std::vector<std::string> names;
    std::vector<std::string> rules;
    for (const Variant& variant : variants) {
      const std::string definition = fmt::format("{}-{}", path, variant.name);
      define(definition, variant, path);
      const std::string is_it =
          Object().add(key, Object().add_text("const", variant.name).text()).text();
      // The type is stated because a string would satisfy all other conditions.
      Object condition;
      condition.add_text("type", "object").add("properties", is_it).add("required", array({key}));
      rules.push_back(rule(condition, Object().add_text("$ref", "#/$defs/" + definition)));
      names.push_back(variant.name);
    }
    // Entries of desktop clients have no key, but a command.
    Object without_key;
    without_key.add("not", Object().add("required", array({key})).text());
    Object first;
    first.add_text("$ref", fmt::format("#/$defs/{}-{}", path, names.front()));
    first.add("required", array({"command"}));
    rules.push_back(rule(without_key, first));

    const std::string key_names = Object().add("enum", array(names)).text();
    object.add("type", type.or_text ? R"(["object","string"])" : R"("object")");
    object.add("properties", Object().add(key, key_names).text());
    object.add("allOf", fmt::format("[{}]", fmt::join(rules, ",")));
  }

  static std::string rule(const Object& condition, const Object& consequence) {
    return Object().add("if", condition.text()).add("then", consequence.text()).text();
  }

  void define(const std::string& definition, const Variant& variant, const std::string& path) {
    Object object;
    object.add_text("description", variant.meaning);
    add_section(object, variant.shape, &variant, path);
    definitions_.add(definition, object.text());
  }

  Object definitions_;
};

// Two spaces per level; `raw` has no white space outside its strings.
std::string indented(std::string_view raw) {
  std::string out;
  std::size_t level = 0;
  bool in_string = false;
  const auto new_line = [&] { out += "\n" + std::string(level * 2, ' '); };
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const char c = raw[i];
    if (in_string) {
      out += c;
      if (c == '\\') out += raw[++i];
      if (c == '"') in_string = false;
      continue;
    }
    const bool opens = c == '{' || c == '[';
    const bool closes = c == '}' || c == ']';
    const bool is_empty = opens && (raw[i + 1] == '}' || raw[i + 1] == ']');
    if (closes) {
      --level;
      if (raw[i - 1] != '{' && raw[i - 1] != '[') new_line();
    }
    out += c;
    if (c == '"') in_string = true;
    if (c == ':') out += ' ';
    if (opens) ++level;
    if ((opens && !is_empty) || c == ',') new_line();
  }
  return out + "\n";
}

}  // namespace

std::string to_json_schema(const Shape& shape, std::string_view title, std::string_view id) {
  return indented(Writer().root(shape, title, id));
}

}  // namespace patchbay::config
