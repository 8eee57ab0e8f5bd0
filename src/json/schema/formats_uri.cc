// URIs and IRIs (RFC 3986, RFC 3987) and templates for them (RFC 6570).
#include <algorithm>

#include "json/ascii.h"
#include "json/schema/formats.h"
#include "json/uri.h"

namespace patchbay::json::format {
namespace {

bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

bool is_percent(std::string_view text, std::size_t at) {
  return text[at] == '%' && at + 2 < text.size() && is_hex(text[at + 1]) && is_hex(text[at + 2]);
}

// Unreserved characters, sub-delimiters and those of `more`, with whole percent triples.
bool is_made_of(std::string_view text, std::string_view more, bool international) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool plain = is_digit(c) || is_letter(c) || is_one_of(c, "-._~!$&'()*+,;=") ||
                       is_one_of(c, more) || (international && is_beyond_ascii(c));
    if (!plain && !is_percent(text, i)) return false;
  }
  return true;
}

bool is_scheme(std::string_view text) {
  return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, [](char c) {
    return is_digit(c) || is_letter(c) || is_one_of(c, "+-.");
  });
}

bool is_address_literal(std::string_view text) {
  if (!text.starts_with('v') && !text.starts_with('V')) return ipv6(text);
  const auto dot = text.find('.');
  return dot != std::string_view::npos && dot > 1 && dot + 1 < text.size() &&
         std::ranges::all_of(text.substr(1, dot - 1), is_hex<char>) &&
         is_made_of(text.substr(dot + 1), ":", false) && text.find('%') == std::string_view::npos;
}

bool is_authority(std::string_view text, bool international) {
  if (const auto at = text.find('@'); at != std::string_view::npos) {
    if (!is_made_of(text.substr(0, at), ":", international)) return false;
    text.remove_prefix(at + 1);
  }
  std::string_view port;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos || !is_address_literal(text.substr(1, end - 1))) return false;
    port = text.substr(end + 1);
  } else {
    const auto colon = std::min(text.find(':'), text.size());
    if (!is_made_of(text.substr(0, colon), "", international)) return false;
    port = text.substr(colon);
  }
  return port.empty() ||
         (port.front() == ':' && std::ranges::all_of(port.substr(1), is_digit<char>));
}

bool is_reference(std::string_view text, bool absolute, bool international) {
  const UriParts parts = split_uri(text);
  if (parts.scheme ? !is_scheme(*parts.scheme) : absolute) return false;
  if (parts.authority && !is_authority(*parts.authority, international)) return false;
  // The first segment of a relative path has no colon: that would be a scheme.
  const std::string_view first = parts.path.substr(0, parts.path.find('/'));
  if (!parts.scheme && !parts.authority && first.find(':') != std::string_view::npos) return false;
  return is_made_of(parts.path, ":@/", international) &&
         is_made_of(parts.query.value_or(""), ":@/?", international) &&
         is_made_of(parts.fragment.value_or(""), ":@/?", international);
}

// One variable of a template: a name, and an optional modifier.
bool is_variable(std::string_view text) {
  if (text.ends_with('*')) {
    text.remove_suffix(1);
  } else if (const auto colon = text.find(':'); colon != std::string_view::npos) {
    const std::string_view length = text.substr(colon + 1);
    if (length.empty() || length.size() > 4 || length.front() == '0') return false;
    if (!std::ranges::all_of(length, is_digit<char>)) return false;
    text = text.substr(0, colon);
  }
  if (text.empty() || text.front() == '.' || text.back() == '.') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && text[i + 1] == '.') return false;
    if (!is_digit(c) && !is_letter(c) && c != '_' && c != '.' && !is_percent(text, i)) return false;
  }
  return true;
}

bool is_expression(std::string_view text) {
  if (!text.empty() && is_one_of(text.front(), "+#./;?&=,!@|")) text.remove_prefix(1);
  for (;;) {
    const auto comma = text.find(',');
    if (!is_variable(text.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

bool uri(std::string_view text) { return is_reference(text, true, false); }
bool uri_reference(std::string_view text) { return is_reference(text, false, false); }
bool iri(std::string_view text) { return is_reference(text, true, true); }
bool iri_reference(std::string_view text) { return is_reference(text, false, true); }

bool uri_template(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{') {
      const auto end = text.find('}', i);
      if (end == std::string_view::npos || !is_expression(text.substr(i + 1, end - i - 1)))
        return false;
      i = end;
    } else if (text[i] <= ' ' ? !is_beyond_ascii(text[i]) : is_one_of(text[i], "\"<>\\^`|}\x7F")) {
      return false;
    } else if (text[i] == '%' && !is_percent(text, i)) {
      return false;
    }
  }
  return true;
}

}  // namespace patchbay::json::format
