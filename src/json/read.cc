#include "json/read.h"

#include <charconv>

namespace patchbay::json {
namespace {

bool is_json_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

template <class Number>
std::optional<Number> number(std::string_view raw) {
  Number value{};
  const auto [end, fault] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
  if (fault != std::errc() || end != raw.data() + raw.size()) return std::nullopt;
  return value;
}

}  // namespace

Type type_of(std::string_view raw) {
  while (!raw.empty() && is_json_space(raw.front())) raw.remove_prefix(1);
  return raw.empty() ? Type::none : kTypeByFirst[static_cast<unsigned char>(raw.front())];
}

std::optional<std::string_view> member(std::string_view raw, std::string_view key) {
  std::optional<std::string_view> found;
  each_member(raw, [&](std::string_view name, std::string_view value) {
    if (name == key) found = value;
  });
  return found;
}

std::optional<std::string> as_string(std::string_view raw) {
  std::optional<std::string> text;
  if (!raw.starts_with('"')) return text;
  if (!append_unquoted(text.emplace(), raw)) text.reset();
  return text;
}

std::optional<std::string_view> as_text(std::string_view raw, std::string& decoded) {
  if (!raw.starts_with('"')) return std::nullopt;
  const auto inside = raw.substr(1, raw.size() - 2);
  if (inside.find('\\') == std::string_view::npos) return inside;
  decoded.clear();
  if (!append_unquoted(decoded, raw)) return std::nullopt;
  return decoded;
}

std::optional<std::int64_t> as_int(std::string_view raw) { return number<std::int64_t>(raw); }
std::optional<double> as_double(std::string_view raw) { return number<double>(raw); }

std::optional<bool> as_bool(std::string_view raw) {
  if (raw == "true") return true;
  if (raw == "false") return false;
  return std::nullopt;
}

std::optional<std::string> string_member(std::string_view raw, std::string_view key) {
  const auto found = member(raw, key);
  if (!found) return std::nullopt;
  return as_string(*found);
}

std::string with_member(std::string_view raw, std::string_view key, std::string_view value) {
  std::string text = "{";
  const auto add = [&text](std::string_view name, std::string_view of) {
    if (text.size() > 1) text += ',';
    append_quoted(text, name);
    text += ':';
    text += of;
  };
  add(key, value);
  each_member(raw, [&](std::string_view name, std::string_view of) {
    if (name != key) add(name, of);
  });
  text += '}';
  return text;
}

Result<void> check(std::string_view text) {
  Cursor at(text);
  if (at.skip() && at.finish()) return ok();
  return at.error();
}

}  // namespace patchbay::json
