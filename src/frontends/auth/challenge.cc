#include "frontends/auth/challenge.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontends/error_body.h"
#include "json/write.h"

namespace patchbay::frontends {
namespace {

using policy::AuthSettings;

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : " ") + item;
  return text;
}

// A quoted string of a header: nothing in it can end the string or the line, and RFC 6750 allows
// ASCII only.
std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c >= ' ' && c < 0x7F ? c : '?';
  }
  return out + "\"";
}

std::size_t path_begin(std::string_view resource) {
  const auto scheme = resource.find("://");
  return scheme == std::string_view::npos
             ? resource.size()
             : std::min(resource.find('/', scheme + 3), resource.size());
}

std::string bearer_challenge(const AuthSettings& settings, const Error& error, bool given) {
  std::string text = "Bearer realm=\"patchbay\"";
  if (error.code == Code::forbidden) {
    text += ", error=\"insufficient_scope\"";
  } else if (given) {
    text += ", error=\"invalid_token\"";
  }
  if (given) text += ", error_description=" + in_quotes(error.message);
  if (!settings.jwt.empty()) {
    const auto origin = settings.resource.substr(0, path_begin(settings.resource));
    text += fmt::format(", resource_metadata=\"{}{}{}\"", origin, kMetadataPath,
                        resource_path(settings));
  }
  if (!settings.scopes.empty()) text += fmt::format(", scope=\"{}\"", joined(settings.scopes));
  return text;
}

}  // namespace

std::string_view resource_path(const AuthSettings& settings) {
  return std::string_view(settings.resource).substr(path_begin(settings.resource));
}

Refusal refusal(const AuthSettings& settings, std::string_view path, const Error& error, bool given,
                bool script) {
  Refusal made;
  made.status = info(error.code).http;
  made.body = error_body_at(path, made.status, error);
  if (made.status == 503) {
    made.fields = "Retry-After: 1\r\n";
    return made;
  }
  const bool tokens = !settings.tokens.empty() || !settings.token_file.empty();
  // In one field, because some clients read only the first.
  std::string challenge;
  if (tokens || !settings.jwt.empty() || !settings.basic || script) {
    challenge = bearer_challenge(settings, error, given);
  }
  if (settings.basic && made.status == 401 && !script) {
    if (!challenge.empty()) challenge += ", ";
    challenge += "Basic realm=\"patchbay\", charset=\"UTF-8\"";
  }
  made.fields = fmt::format("WWW-Authenticate: {}\r\n", challenge);
  return made;
}

Refusal refusal_until(std::string_view path, std::chrono::nanoseconds wait) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait).count();
  const Error error{Code::rate_limited,
                    fmt::format("too many failed attempts from this address; try again in {} s "
                                "(auth.failures)",
                                seconds)};
  return {429, error_body_at(path, 429, error), fmt::format("Retry-After: {}\r\n", seconds)};
}

std::string resource_metadata(const AuthSettings& settings) {
  if (settings.jwt.empty()) return {};
  const auto list = [](const std::vector<std::string>& items) {
    std::string text = "[";
    for (const auto& item : items) text += (text.size() > 1 ? "," : "") + json::quote(item);
    return text + "]";
  };
  std::vector<std::string> issuers;
  for (const auto& one : settings.jwt) issuers.push_back(one.issuer);
  std::string text;
  json::Object object(text);
  object.raw("resource", json::quote(settings.resource));
  object.raw("authorization_servers", list(issuers));
  if (!settings.scopes.empty()) object.raw("scopes_supported", list(settings.scopes));
  object.raw("bearer_methods_supported", "[\"header\"]");
  object.raw("resource_name", "\"Patchbay\"");
  object.end();
  return text;
}

}  // namespace patchbay::frontends
