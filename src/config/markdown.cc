// The reference of the settings, as Markdown: one table per section, in the order of the tables.
#include <fmt/format.h>

#include "config/describe.h"

namespace patchbay::config {
namespace {

// Text of a cell: a bar would end it.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string default_of(const FieldShape& field) {
  if (field.required) return "required";
  return field.default_text.empty() ? "" : fmt::format("`{}`", cell(field.default_text));
}

void append_table(std::string& out, const Shape& shape) {
  if (shape.fields.empty()) return;
  out += "| key | type | default | meaning |\n|---|---|---|---|\n";
  for (const FieldShape& field : shape.fields) {
    const std::string bounds = field.bounds.empty() ? "" : fmt::format(" ({})", field.bounds);
    const std::string alias =
        field.alias.empty() ? "" : fmt::format(" Old name: `{}`.", field.alias);
    out += fmt::format("| `{}` | {} | {} | {}{}{} |\n", field.name, cell(field.type),
                       default_of(field), cell(field.meaning), bounds, alias);
  }
  out += '\n';
}

void append_sections(std::string& out, const Shape& shape, const std::string& path);

void append_type(std::string& out, const TypeShape& type, const std::string& path,
                 std::string_view meaning) {
  if (type.form == Form::list) return append_type(out, type.element.front(), path + "[]", meaning);
  if (type.form == Form::map)
    return append_type(out, type.element.front(), path + ".NAME", meaning);
  if (type.form == Form::section) {
    std::string text = fmt::format("## `{}`\n\n{}\n\n", path, meaning);
    append_table(text, type.section);
    append_sections(text, type.section, path);
    // Members that several variants share are listed once.
    if (!out.contains(text)) out += text;
  }
  for (const Variant& variant : type.variants) {
    out += fmt::format("## `{}` with `{}: {}`\n\n{}\n\n", path, variant.key, variant.name,
                       variant.meaning);
    append_table(out, variant.shape);
    append_sections(out, variant.shape, path);
  }
}

void append_sections(std::string& out, const Shape& shape, const std::string& path) {
  for (const FieldShape& field : shape.fields) {
    append_type(out, field.of, member_path(path, field.name), field.meaning);
  }
}

}  // namespace

std::string to_markdown(const Shape& shape, std::string_view title) {
  std::string out = fmt::format("# {}\n\n", title);
  append_table(out, shape);
  append_sections(out, shape, "");
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

}  // namespace patchbay::config
