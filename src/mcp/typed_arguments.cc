#include "mcp/typed_arguments.h"

#include <fmt/format.h>

#include <utility>

#include "json/read.h"

namespace patchbay::mcp {
namespace {

std::string_view schema_of(std::string_view definition) {
  return json::member(definition, "inputSchema").value_or("{}");
}

// The schema of one argument; empty if it is unknown.
std::optional<std::string> type_of(std::string_view definition, std::string_view key) {
  const auto properties = json::member(schema_of(definition), "properties");
  const auto property = properties ? json::member(*properties, key) : std::nullopt;
  return property ? json::string_member(*property, "type") : std::nullopt;
}

}  // namespace

std::string typed_value(std::string_view definition, std::string_view key, std::string_view value) {
  if (type_of(definition, key) == "string" || !json::check(value)) return json::quote(value);
  return std::string(value);
}

Result<std::string> object_of_pairs(const std::vector<std::string>& args, const ReadValue& read) {
  std::string object = "{";
  for (const auto& arg : args) {
    const auto equals = arg.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{Code::invalid_params,
                   fmt::format("'{}' is neither key=value nor a JSON object", arg)};
    }
    const std::string key = arg.substr(0, equals);
    if (object.size() > 1) object += ',';
    json::append_quoted(object, key);
    object += ':' + read(key, arg.substr(equals + 1));
  }
  return object + "}";
}

Result<std::string> typed_arguments(std::string_view definition,
                                    const std::vector<std::string>& args) {
  return object_of_pairs(args, [&definition](const std::string& key, const std::string& value) {
    return typed_value(definition, key, value);
  });
}

std::optional<std::string> only_text_argument(std::string_view definition) {
  const auto schema = schema_of(definition);
  std::vector<std::string> candidates;
  json::each_element(json::member(schema, "required").value_or("[]"), [&](std::string_view name) {
    candidates.push_back(json::as_string(name).value_or(""));
  });
  if (candidates.empty()) {
    json::each_member(
        json::member(schema, "properties").value_or("{}"),
        [&](std::string_view name, std::string_view) { candidates.emplace_back(name); });
  }
  if (candidates.size() != 1 || type_of(definition, candidates.front()) != "string") return {};
  return candidates.front();
}

std::string text_of_content(std::string_view content) {
  if (auto text = json::string_member(content, "text")) return *std::move(text);
  return fmt::format("[{} {}, {} bytes of JSON]",
                     json::string_member(content, "type").value_or("data"),
                     json::string_member(content, "mimeType").value_or("no type"), content.size());
}

namespace {

// The block at the cursor, and its text. One pass: results of tools are read for every goal.
void add_block(json::Cursor& at, std::string& text) {
  if (at.peek() != json::Type::object) {
    std::string_view other;
    if (at.value(other)) text += text_of_content(other);
    return;
  }
  const char* const begin = at.position();
  std::string_view key;
  std::string_view value;
  std::string_view found;
  at.enter_object();
  while (at.next_member(key)) {
    const bool is_text = key == "text";
    if (at.value(value) && is_text) found = value;
  }
  const std::size_t before = text.size();
  if (found.starts_with('"') && json::append_unquoted(text, found)) return;
  text.resize(before);
  text += text_of_content({begin, at.position()});
}

// The raw text of a result that is a single text block, written as our own skills do; empty for any
// other.
std::string_view only_text(std::string_view result) {
  constexpr std::string_view kBegin = R"({"content":[{"type":"text","text":)";
  constexpr std::string_view kEnd = "}]}";
  if (!result.starts_with(kBegin) || !result.ends_with(kEnd)) return {};
  result.remove_prefix(kBegin.size());
  result.remove_suffix(kEnd.size());
  json::Cursor at(result);
  return at.peek() == json::Type::string && at.skip() && at.finish() ? result : std::string_view();
}

}  // namespace

ToolText text_of_result(std::string_view result) {
  ToolText read;
  if (const auto raw = only_text(result); !raw.empty() && json::append_unquoted(read.text, raw)) {
    return read;
  }
  read.text.clear();
  bool any = false;
  std::string_view key;
  std::string_view value;
  std::string_view structured;
  json::Cursor at(result);
  if (!at.enter_object()) return read;
  while (at.next_member(key)) {
    if (key == "content" && at.peek() == json::Type::array) {
      at.enter_array();
      while (at.next_element()) {
        if (std::exchange(any, true)) read.text += '\n';
        add_block(at, read.text);
      }
      continue;
    }
    const bool failed = key == "isError";
    const bool structure = key == "structuredContent";
    if (!at.value(value)) break;
    if (failed) read.failed = value == "true";
    if (structure) structured = value;
  }
  if (!any) read.text = structured;
  return read;
}

}  // namespace patchbay::mcp
