#include "upstreams/caller_templates.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "json/read.h"

namespace patchbay::upstreams {
namespace {

constexpr std::string_view kOpen = "${caller.";
constexpr std::string_view kClaims = "claims.";

// `way` is its former name.
bool is_auth_method(std::string_view what) { return what == "auth_method" || what == "way"; }

bool is_known(std::string_view what) {
  if (what.starts_with(kClaims)) return what.size() > kClaims.size();
  return what == "name" || what == "id" || is_auth_method(what);
}

// The member `path` of the object, or the nested member that its dots select.
std::optional<std::string_view> member_at(std::string_view object, std::string_view path) {
  if (const auto whole = json::member(object, path)) return whole;
  const std::size_t dot = path.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto part = json::member(object, path.substr(0, dot));
  return part ? member_at(*part, path.substr(dot + 1)) : std::nullopt;
}

std::optional<std::string> claim_of(const Principal& caller, std::string_view path) {
  const auto raw = member_at(caller.claims, path);
  if (!raw) return std::nullopt;
  const auto type = json::type_of(*raw);
  if (type == json::Type::string) return json::as_string(*raw);
  if (type == json::Type::number || type == json::Type::boolean) return std::string(*raw);
  return std::nullopt;
}

std::optional<std::string> value_of(const Principal& caller, std::string_view what) {
  if (what == "name") return caller.name;
  if (what == "id") return caller.id;
  if (is_auth_method(what)) return std::string(name_of(caller.auth_method));
  return claim_of(caller, what.substr(kClaims.size()));
}

// No claim of a caller can begin a new line or end a text.
bool is_plain(std::string_view text) {
  return std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

}  // namespace

Result<CallerTemplates::Text> CallerTemplates::parse_one(const std::string& name,
                                                         std::string_view text) {
  Text parsed{name, {}};
  for (std::size_t open; (open = text.find(kOpen)) != std::string_view::npos;) {
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) {
      return Error{Code::invalid_params, fmt::format("{}: ${{caller. has no closing brace", name)};
    }
    const auto what = text.substr(open + kOpen.size(), close - open - kOpen.size());
    if (!is_known(what)) {
      return Error{
          Code::invalid_params,
          fmt::format("{}: ${{caller.{}}} is not known; there are ${{caller.name}}, "
                      "${{caller.id}}, ${{caller.auth_method}} and ${{caller.claims.NAME}}",
                      name, what)};
    }
    parsed.pieces.push_back({std::string(text.substr(0, open))});
    parsed.pieces.push_back({std::string(what), true});
    text.remove_prefix(close + 1);
  }
  parsed.pieces.push_back({std::string(text)});
  return parsed;
}

Result<CallerTemplates> CallerTemplates::parse(const config::Dict<std::string>& texts) {
  CallerTemplates parsed;
  for (const auto& [name, text] : texts) {
    auto one = parse_one(name, text);
    if (!one) return one.error();
    parsed.depend_ |= one->pieces.size() > 1;
    parsed.texts_.push_back(*std::move(one));
  }
  return parsed;
}

Result<config::Dict<std::string>> CallerTemplates::fill(const Principal& caller) const {
  const bool own = caller.id == Principal().id;
  config::Dict<std::string> filled;
  for (const auto& [name, pieces] : texts_) {
    std::string text;
    bool known = true;
    for (const auto& piece : pieces) {
      const auto value = piece.about_caller ? value_of(caller, piece.text) : piece.text;
      known = known && value && (!piece.about_caller || is_plain(*value));
      if (known) {
        text += *value;
      } else if (!own) {
        return Error{
            Code::forbidden,
            fmt::format("this upstream needs '{}' of its caller, which is unknown", piece.text)};
      }
    }
    if (known) filled.emplace_back(name, std::move(text));
  }
  return filled;
}

Result<std::string> CallerTemplates::mark(const Principal& caller) const {
  if (!depend_) return std::string();
  auto filled = fill(caller);
  if (!filled) return filled.error();
  std::string mark;
  for (const auto& [name, text] : *filled) mark += fmt::format("\n{}={}", name, text);
  return mark;
}

}  // namespace patchbay::upstreams
