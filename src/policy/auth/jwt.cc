#include "policy/auth/jwt.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base64.h"
#include "core/http_token.h"
#include "json/index.h"
#include "json/read.h"

namespace patchbay::policy {
namespace {

using json::Index;
using json::NodeId;
using std::chrono::duration;
using std::chrono::duration_cast;

constexpr std::size_t kMostJwtValues = 2'000;  // In a header or payload.
constexpr double kLatest = 253'402'300'799;    // The end of the year 9999.
constexpr std::array<std::string_view, 4> kTypes{"JWT", "at+jwt", "application/at+jwt",
                                                 "application/jwt"};

Error invalid_token(std::string why) { return {Code::unauthenticated, std::move(why)}; }

// Decodes one part of a token, a JSON object.
Result<std::string> object_part(std::string_view part, std::string_view name) {
  auto text = base64url_decode(part);
  if (!text) return invalid_token(fmt::format("the {} of the token is not base64url", name));
  auto index = Index::of(*text, kMostJwtValues);
  if (!index || (*index)[0].type != json::Type::object) {
    return invalid_token(fmt::format("the {} of the token is not a JSON object", name));
  }
  return *std::move(text);
}

Result<void> read_header(std::string_view header, Jwt& jwt) {
  if (json::member(header, "crit"))
    return invalid_token("the token requires unknown extensions (crit)");
  if (json::member(header, "b64"))
    return invalid_token("the token has an unsupported encoding (b64)");
  const auto type = json::member(header, "typ");
  const auto named = type ? json::as_string(*type) : std::string("JWT");
  const auto known = [&](std::string_view one) { return named && same_token(one, *named); };
  if (std::ranges::none_of(kTypes, known))
    return invalid_token("the token is not an access token (typ)");
  const auto algorithm = json::string_member(header, "alg");
  jwt.algorithm = algorithm ? find_algorithm(*algorithm) : nullptr;
  if (!jwt.algorithm)
    return invalid_token("the signature algorithm of the token is not supported (alg)");
  const auto kid = json::member(header, "kid");
  auto name = kid ? json::as_string(*kid) : std::string();
  if (!name || name->size() > kMostKeyId)
    return invalid_token("the key id of the token is invalid (kid)");
  jwt.kid = *std::move(name);
  return ok();
}

// The value of a member, or at a JSON pointer.
std::optional<NodeId> find_claim(const Index& claims, std::string_view where) {
  if (!where.starts_with('/')) return claims.find(0, where);
  std::optional<NodeId> at = 0;
  while (at && !where.empty()) {
    where.remove_prefix(1);
    const auto end = std::min(where.find('/'), where.size());
    const auto token = json::unescape_pointer_token(where.substr(0, end));
    at = token ? claims.child(*at, *token) : std::nullopt;
    where.remove_prefix(end);
  }
  return at;
}

std::optional<std::string> text_claim(const Index& claims, std::string_view where) {
  const auto at = find_claim(claims, where);
  return at ? json::as_string(claims.raw(*at)) : std::nullopt;
}

// An array of strings, or one string with blanks between the elements.
std::vector<std::string> list_claim(const Index& claims, std::string_view where) {
  std::vector<std::string> list;
  const auto at = find_claim(claims, where);
  if (!at) return list;
  if (const auto text = json::as_string(claims.raw(*at))) {
    std::string_view rest = *text;
    while (!rest.empty()) {
      const auto end = std::min(rest.find(' '), rest.size());
      if (end > 0) list.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return list;
  }
  json::each_element(claims.raw(*at), [&](std::string_view one) {
    if (auto text = json::as_string(one)) list.push_back(*std::move(text));
  });
  return list;
}

bool has_audience(const Index& claims, std::string_view wanted) {
  const auto at = claims.find(0, "aud");
  if (!at) return false;
  if (const auto one = json::as_string(claims.raw(*at))) return *one == wanted;
  bool found = false;
  json::each_element(claims.raw(*at),
                     [&](std::string_view one) { found |= json::as_string(one) == wanted; });
  return found;
}

// Seconds since 1970; an error if the claim is there and not a number.
Result<std::optional<double>> time_claim(const Index& claims, std::string_view name) {
  const auto at = claims.find(0, name);
  if (!at) return std::optional<double>();
  const auto seconds = json::as_double(claims.raw(*at));
  if (!seconds || !std::isfinite(*seconds) || *seconds < 0 || *seconds > kLatest) {
    return invalid_token(fmt::format("'{}' of the token is not a time", name));
  }
  return seconds;
}

// The time at which the token expires.
Result<double> check_times(const Index& claims, double leeway, double now) {
  auto expires = time_claim(claims, "exp");
  if (!expires) return expires.error();
  if (!*expires) return invalid_token("the token never expires (exp)");
  if (now >= **expires + leeway) return invalid_token("the token has expired");
  for (const std::string_view name : {"nbf", "iat"}) {
    auto from = time_claim(claims, name);
    if (!from) return from.error();
    if (*from && now + leeway < **from) {
      return invalid_token(fmt::format("the token is not valid yet ({})", name));
    }
  }
  return **expires + leeway;
}

}  // namespace

bool looks_like_jwt(std::string_view token) { return std::ranges::count(token, '.') == 2; }

Result<Jwt> parse_jwt(std::string_view token) {
  if (!looks_like_jwt(token)) return invalid_token("the token does not have three parts");
  const auto first = token.find('.');
  const auto last = token.rfind('.');
  auto header = object_part(token.substr(0, first), "header");
  if (!header) return header.error();
  Jwt jwt;
  auto good = read_header(*header, jwt);
  if (!good) return good.error();
  auto payload = object_part(token.substr(first + 1, last - first - 1), "payload");
  if (!payload) return payload.error();
  jwt.payload = *std::move(payload);
  auto signature = base64url_decode(token.substr(last + 1));
  if (!signature || signature->empty())
    return invalid_token("the signature of the token is not base64url");
  jwt.signature = *std::move(signature);
  jwt.text = token.substr(0, last);
  jwt.issuer = json::string_member(jwt.payload, "iss").value_or("");
  return jwt;
}

Result<JwtCaller> check_claims(const Jwt& jwt, const JwtRules& rules, WallTime now) {
  auto claims = Index::of(jwt.payload, kMostJwtValues);
  if (!claims) return invalid_token("the payload of the token is not a JSON object");
  if (jwt.issuer != rules.issuer.issuer) return invalid_token("the token is from another issuer");
  if (!has_audience(*claims, rules.audience)) {
    return invalid_token(fmt::format("the token is not for {} (aud)", rules.audience));
  }
  const double leeway = duration<double>(rules.issuer.leeway).count();
  auto until = check_times(*claims, leeway, duration<double>(now.time_since_epoch()).count());
  if (!until) return until.error();
  auto name = text_claim(*claims, rules.issuer.claims.name);
  if (!name || name->empty()) {
    return invalid_token(
        fmt::format("the token does not name its caller ({})", rules.issuer.claims.name));
  }
  JwtCaller caller;
  const auto subject = text_claim(*claims, "sub").value_or(*name);
  // An issuer that is a URI has no blanks, so two pairs never yield the same id.
  caller.principal.id = fmt::format("jwt:{} {}", jwt.issuer, subject);
  caller.principal.name = *std::move(name);
  caller.principal.auth_method = AuthMethod::jwt;
  caller.principal.roles = list_claim(*claims, rules.issuer.claims.roles);
  std::ranges::copy(rules.issuer.roles, std::back_inserter(caller.principal.roles));
  caller.principal.scopes = list_claim(*claims, rules.issuer.claims.scopes);
  caller.principal.claims = jwt.payload;
  caller.until =
      WallTime(duration_cast<WallTime::duration>(duration<double>(std::min(*until, 9e9))));
  for (const auto& scope : rules.scopes) {
    if (std::ranges::find(caller.principal.scopes, scope) == caller.principal.scopes.end()) {
      return Error{Code::forbidden, fmt::format("the token lacks the scope '{}'", scope)};
    }
  }
  return caller;
}

}  // namespace patchbay::policy
