#include "net/http/syntax/percent.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/text.h"
#include "json/uri.h"

namespace patchbay::net {
namespace {

bool is_unreserved(char c) {
  const char lower = static_cast<char>(c | 0x20);
  return (c >= '0' && c <= '9') || (lower >= 'a' && lower <= 'z') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

}  // namespace

Result<std::string> percent_decode(std::string_view text) {
  auto out = json::decode_percents(text);
  if (!out) return Error{Code::invalid_request, "a '%' in the URL is not followed by two digits"};
  if (std::ranges::any_of(*out, is_control)) {
    return Error{Code::invalid_request, "the URL has a control character"};
  }
  if (!json::is_utf8(*out)) return Error{Code::invalid_request, "the URL is not UTF-8"};
  return *std::move(out);
}

std::string percent_encode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c)) {
      out += c;
    } else {
      fmt::format_to(std::back_inserter(out), "%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

Result<std::map<std::string, std::string>> parse_query(std::string_view query) {
  std::map<std::string, std::string> out;
  while (!query.empty()) {
    const auto item = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(item.size() + 1, query.size()));
    if (item.empty()) continue;
    const auto equals = item.find('=');
    std::string value(equals == std::string_view::npos ? "" : item.substr(equals + 1));
    std::ranges::replace(value, '+', ' ');
    auto key = percent_decode(item.substr(0, equals));
    if (!key) return key.error();
    auto decoded = percent_decode(value);
    if (!decoded) return decoded.error();
    if (!out.try_emplace(*key, *std::move(decoded)).second) {
      return Error{Code::invalid_request, fmt::format("'{}' is given twice", *key)};
    }
  }
  return out;
}

}  // namespace patchbay::net
