#include "net/http/syntax/accept.h"

#include <algorithm>
#include <charconv>

#include "core/http_token.h"
#include "net/http/syntax/lexer.h"

namespace patchbay::net {
namespace {

// Cuts the part before the next `separator` off the front.
std::string_view take(std::string_view& rest, char separator) {
  const auto part = rest.substr(0, rest.find(separator));
  rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  return trim(part);
}

double quality_of(std::string_view parameters) {
  while (!parameters.empty()) {
    const auto parameter = take(parameters, ';');
    if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) continue;
    double quality = 0;
    const auto text = parameter.substr(2);
    std::from_chars(text.data(), text.data() + text.size(), quality);
    return quality;
  }
  return 1;
}

// How closely a range of the header fits a type: 0 not at all, 3 exactly.
int closeness(std::string_view range, std::string_view type) {
  if (!type.empty() && same_token(range, type)) return 3;
  const auto slash = type.find('/');
  if (slash != std::string_view::npos && range.ends_with("/*") &&
      same_token(range.substr(0, range.size() - 1), type.substr(0, slash + 1))) {
    return 2;
  }
  return range == "*/*" ? 1 : 0;
}

// The quality and rank of a type, from the media range that matches it most closely.
struct Preference {
  int closeness = 0;
  double quality = 0;
  int position = 0;

  bool better_than(const Preference& other) const {
    return quality > other.quality || (quality == other.quality && position < other.position);
  }
};

Preference preference_for(std::string_view type, std::string_view accept) {
  Preference preference;
  for (int position = 0; !accept.empty(); ++position) {
    auto element = take(accept, ',');
    const auto range = take(element, ';');
    const int close = closeness(range, type);
    if (close > preference.closeness) preference = {close, quality_of(element), position};
  }
  return preference;
}

}  // namespace

std::string_view media_type(std::string_view value) {
  std::string_view rest = value;
  if (!take_token(rest) || !take_char(rest, '/') || !take_token(rest)) return {};
  const auto type = value.substr(0, value.size() - rest.size());
  while (!rest.empty()) {
    skip_blanks(rest);
    if (!take_char(rest, ';')) return {};
    skip_blanks(rest);
    if (!take_token(rest)) continue;  // A parameter may be omitted.
    if (!take_char(rest, '=') || (!take_token(rest) && !take_quoted(rest))) return {};
  }
  return type;
}

bool is_json(const HttpRequest& request) {
  const auto type = request.fields.find("Content-Type");
  return type && same_token(media_type(*type), "application/json");
}

bool has_method(std::string_view methods, std::string_view method) {
  while (!methods.empty()) {
    if (take(methods, ',') == method) return true;
  }
  return false;
}

std::string_view accept_of(const HttpRequest& request) {
  const auto given = request.fields.find("Accept");
  return given && !given->empty() ? *given : "*/*";
}

std::string_view preferred_type(std::string_view accept,
                                std::initializer_list<std::string_view> offered) {
  std::string_view best;
  Preference wanted;
  for (const auto type : offered) {
    const Preference preference = preference_for(type, accept);
    if (preference.quality <= 0 || !preference.better_than(wanted)) continue;
    wanted = preference;
    best = type;
  }
  return best;
}

}  // namespace patchbay::net
