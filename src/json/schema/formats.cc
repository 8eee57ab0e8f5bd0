#include "json/schema/formats.h"

#include <algorithm>
#include <iterator>

#include "json/ascii.h"
#include "json/index.h"
#include "json/schema/regex.h"

namespace patchbay::json {
namespace {

struct Format {
  std::string_view name;
  bool (*check)(std::string_view text);
};

constexpr Format kFormats[] = {
    {"date", format::date},
    {"time", format::time},
    {"date-time", format::date_time},
    {"duration", format::duration},
    {"hostname", format::hostname},
    {"ipv4", format::ipv4},
    {"ipv6", format::ipv6},
    {"email", format::email},
    {"idn-email", format::idn_email},
    {"uri", format::uri},
    {"uri-reference", format::uri_reference},
    {"iri", format::iri},
    {"iri-reference", format::iri_reference},
    {"uri-template", format::uri_template},
    {"uuid", format::uuid},
    {"json-pointer", format::json_pointer},
    {"relative-json-pointer", format::relative_json_pointer},
    {"regex", is_regex},
};

}  // namespace

std::optional<std::uint32_t> find_format(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &Format::name);
  if (found == std::end(kFormats)) return std::nullopt;
  return static_cast<std::uint32_t>(found - std::begin(kFormats));
}

bool has_format(std::uint32_t format, std::string_view text) {
  return kFormats[format].check(text);
}

namespace format {

bool uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !is_hex(text[i])) return false;
  }
  return true;
}

bool json_pointer(std::string_view text) {
  return text.empty() || (text.starts_with('/') && unescape_pointer_token(text).has_value());
}

bool relative_json_pointer(std::string_view text) {
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || (digits > 1 && text[0] == '0')) return false;
  const std::string_view rest = text.substr(digits);
  return rest == "#" || json_pointer(rest);
}

}  // namespace format
}  // namespace patchbay::json
