#include "mcp/typed_arguments.h"

#include <fmt/format.h>

#include <utility>

#include "core/text.h"
#include "json/read.h"

namespace patchbay::mcp {
namespace {

std::string_view schema_of(std::string_view definition) {
  return json::member(definition, "inputSchema").value_or("{}");
}

// What the schema says about one argument; empty if it does not know it.
std::optional<std::string> type_of(std::string_view definition, std::string_view key) {
  const auto properties = json::member(schema_of(definition), "properties");
  const auto property = properties ? json::member(*properties, key) : std::nullopt;
  return property ? json::string_member(*property, "type") : std::nullopt;
}

}  // namespace

Result<std::vector<std::string>> split_words(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool blank = is_space(c);
    if (quote == '\0' && blank) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
    } else if (quote != '\0' && c == quote) {
      quote = '\0';
    } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      words.back() += text[++i];
    } else {
      words.back() += c;
    }
  }
  if (quote != '\0') return Error{Code::invalid_params, "a quote is not closed"};
  return words;
}

Result<std::string> typed_arguments(std::string_view definition,
                                    const std::vector<std::string>& words) {
  std::string object = "{";
  for (const auto& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{Code::invalid_params,
                   fmt::format("'{}' is neither key=value nor a JSON object", word)};
    }
    const std::string key = word.substr(0, equals);
    const std::string value = word.substr(equals + 1);
    if (object.size() > 1) object += ',';
    json::append_quoted(object, key);
    object += ':';
    const bool text = type_of(definition, key) == "string" || !json::check(value);
    object += text ? json::quote(value) : value;
  }
  return object + "}";
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

ToolText text_of_result(std::string_view result) {
  ToolText read;
  bool first = true;
  const auto add = [&](std::string_view item) {
    if (!std::exchange(first, false)) read.text += '\n';
    if (const auto text = json::string_member(item, "text")) {
      read.text += *text;
      return;
    }
    const auto type = json::string_member(item, "type").value_or("");
    const auto mime = json::string_member(item, "mimeType").value_or("no type");
    read.text += fmt::format("[{} {}, {} bytes of JSON]", type, mime, item.size());
  };
  std::string_view structured;
  json::each_member(result, [&](std::string_view key, std::string_view raw) {
    if (key == "isError") read.failed = raw == "true";
    if (key == "structuredContent") structured = raw;
    if (key == "content") json::each_element(raw, add);
  });
  if (first) read.text = structured;
  return read;
}

}  // namespace patchbay::mcp
