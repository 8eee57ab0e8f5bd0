#include "json/yaml.h"

#include "json/read.h"

namespace patchbay::json {
namespace {

bool is_empty(std::string_view raw) {
  return raw.substr(1).find_first_not_of(" \t\r\n") + 2 == raw.size();
}

void append(std::string& out, std::string_view raw, std::size_t indent, bool fresh);

// The value after a colon or a dash: on the same line if it is small, else below.
void append_nested(std::string& out, std::string_view raw, std::size_t indent, bool after_key) {
  const Type type = type_of(raw);
  const bool block = (type == Type::object || type == Type::array) && !is_empty(raw);
  if (block && after_key) {
    out += '\n';
    append(out, raw, indent, false);
  } else {
    out += ' ';
    append(out, raw, indent, true);
  }
}

// `fresh`: the first line has begun already.
void append(std::string& out, std::string_view raw, std::size_t indent, bool fresh) {
  const Type type = type_of(raw);
  if ((type != Type::object && type != Type::array) || is_empty(raw)) {
    if (type == Type::string) {
      // Reading and writing again removes JSON escapes that YAML reads differently.
      append_quoted(out, as_string(raw).value_or(""));
    } else {
      out += type == Type::object ? "{}" : type == Type::array ? "[]" : raw;
    }
    out += '\n';
    return;
  }
  const auto begin_line = [&] {
    if (!fresh) out.append(indent, ' ');
    fresh = false;
  };
  each_member(raw, [&](std::string_view key, std::string_view value) {
    begin_line();
    append_quoted(out, key);
    out += ':';
    append_nested(out, value, indent + 2, true);
  });
  each_element(raw, [&](std::string_view value) {
    begin_line();
    out += '-';
    append_nested(out, value, indent + 2, false);
  });
}

}  // namespace

std::string to_yaml(std::string_view raw) {
  std::string out;
  append(out, raw, 0, false);
  return out;
}

}  // namespace patchbay::json
