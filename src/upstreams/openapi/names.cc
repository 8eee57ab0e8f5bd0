#include "upstreams/openapi/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/http_token.h"
#include "core/text.h"

namespace patchbay::upstreams {
namespace {

constexpr std::array<std::string_view, 8> kTexts{
    "application/xml",      "application/yaml",
    "application/x-yaml",   "application/graphql",
    "application/jsonl",    "application/javascript",
    "application/x-ndjson", "application/x-www-form-urlencoded"};

bool is_plain(char c) {
  const char lower = static_cast<char>(c | 0x20);
  return (c >= '0' && c <= '9') || (lower >= 'a' && lower <= 'z') || c == '-';
}

}  // namespace

std::string fit_name(std::string_view text, std::size_t most, std::string_view otherwise) {
  std::string name;
  for (const char c : text) {
    if (name.size() >= most) break;
    if (is_plain(c)) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (name.ends_with('_')) name.pop_back();
  return name.empty() ? std::string(otherwise) : name;
}

std::string unique_name(const std::string& wanted, std::set<std::string>& taken) {
  std::string name = wanted;
  for (int i = 2; !taken.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
  return name;
}

std::string media_essence(std::string_view text) {
  std::string essence = ascii_lower(trimmed(text.substr(0, text.find_first_of(";,"))));
  const auto slash = essence.find('/');
  const bool good = slash != std::string::npos && is_token(essence.substr(0, slash)) &&
                    is_token(essence.substr(slash + 1));
  return good ? essence : std::string();
}

bool is_json_media(std::string_view essence) {
  return essence == "application/json" || essence.ends_with("+json") || essence == "text/json";
}

bool is_text_media(std::string_view essence) {
  return essence.starts_with("text/") || essence.ends_with("+xml") || essence.ends_with("+yaml") ||
         std::ranges::find(kTexts, essence) != kTexts.end();
}

}  // namespace patchbay::upstreams
