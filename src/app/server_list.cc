#include "app/server_list.h"

#include "core/text.h"

namespace patchbay::app {
namespace {

bool is_quote(char c) { return c == '"' || c == '\''; }

// The text between quotes if they enclose all of `text`; else `text`. Quotes around a part of it
// are left for the command-line splitter.
std::string unquoted_entry(std::string_view text) {
  if (text.size() < 2 || !is_quote(text.front())) return std::string(text);
  const char quote = text.front();
  std::string inside;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == quote) return i + 1 == text.size() ? inside : std::string(text);
    const bool escaped = quote == '"' && text[i] == '\\' && i + 1 < text.size() &&
                         (text[i + 1] == '"' || text[i + 1] == '\\');
    inside += escaped ? text[++i] : text[i];
  }
  return std::string(text);
}

// Takes the text up to the next comma or line end that separates entries.
Result<std::string> take_entry(std::string_view& text) {
  std::string entry;
  char quote = '\0';
  std::size_t i = 0;
  for (; i < text.size() && text[i] != '\n' && (quote != '\0' || text[i] != ','); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size() && text[i + 1] != '\n') {
      const char next = text[++i];
      if (next != ',' || quote != '\0') entry += c;
      entry += next;
      continue;
    }
    if (quote == '\0' && is_quote(c)) {
      quote = c;
    } else if (c == quote) {
      quote = '\0';
    }
    entry += c;
  }
  text.remove_prefix(i < text.size() ? i + 1 : i);
  if (quote != '\0') return Error{Code::invalid_params, "a quote is not closed"};
  return entry;
}

}  // namespace

Result<NamedEndpoint> read_named_endpoint(std::string_view entry) {
  const std::string whole = unquoted_entry(trimmed(entry));
  const std::size_t colon = whole.find(':');
  const std::string_view name = trimmed(std::string_view(whole).substr(0, colon));
  // `http://…` alone has a colon too, but no name in front.
  if (colon == std::string::npos || name.empty() || whole.substr(colon).starts_with("://")) {
    return Error{Code::invalid_params,
                 "an entry is a name, a colon and an endpoint, as in web:http://localhost:3000"};
  }
  const std::string_view endpoint = trimmed(std::string_view(whole).substr(colon + 1));
  return NamedEndpoint{std::string(name), unquoted_entry(endpoint)};
}

std::vector<Result<NamedEndpoint>> read_server_list(std::string_view text) {
  std::vector<Result<NamedEndpoint>> entries;
  while (!text.empty()) {
    auto entry = take_entry(text);
    if (!entry) {
      entries.emplace_back(entry.error());
    } else if (!trimmed(*entry).empty()) {
      entries.push_back(read_named_endpoint(*entry));
    }
  }
  return entries;
}

}  // namespace patchbay::app
