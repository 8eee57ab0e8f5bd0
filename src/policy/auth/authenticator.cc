#include "policy/auth/authenticator.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base64.h"
#include "core/http_token.h"

namespace patchbay::policy {
namespace {

using Kind = Evidence::Kind;

// An unknown token may have to be compared with each of these.
constexpr std::size_t kMostWithoutId = 16;
constexpr std::size_t kShortest = 16;  // Characters of a token in the configuration.
constexpr std::size_t kMostRoles = 100;
constexpr std::size_t kMostName = 256;  // Of a caller named by a proxy.
constexpr std::size_t kMostProxies = 64;

Error refused(std::string why) { return {Code::unauthenticated, std::move(why)}; }
Error wrong(std::string why) { return {Code::invalid_params, std::move(why)}; }

Caller make_caller(AuthMethod method, const std::string& name, std::vector<std::string> roles,
                   std::vector<std::string> scopes = {}) {
  Principal caller;
  caller.id = fmt::format("{}:{}", name_of(method), name);
  caller.name = name;
  caller.auth_method = method;
  caller.roles = std::move(roles);
  caller.scopes = std::move(scopes);
  return std::make_shared<const Principal>(std::move(caller));
}

// `uri:spiffe://…` and the like.
Result<net::TlsName> parse_name(std::string_view text) {
  using TlsKind = net::TlsName::Kind;
  constexpr std::array<std::pair<std::string_view, TlsKind>, 4> kKinds{
      {{"uri:", TlsKind::uri},
       {"dns:", TlsKind::dns},
       {"email:", TlsKind::email},
       {"cn:", TlsKind::common_name}}};
  for (const auto& [prefix, kind] : kKinds) {
    if (text.size() > prefix.size() && same_token(text.substr(0, prefix.size()), prefix)) {
      return net::TlsName{kind, std::string(text.substr(prefix.size()))};
    }
  }
  return wrong(fmt::format(
      "'{}' is not a name in a certificate; write uri:…, dns:…, email:… or cn:…", text));
}

bool has_name(const net::TlsPeer& peer, const net::TlsName& name) {
  return std::ranges::find(peer.names, name) != peer.names.end();
}

// The credentials after the scheme; malformed unless exactly one blank separates them.
Evidence read_authorization(std::string_view value) {
  const auto blank = value.find(' ');
  if (blank == std::string_view::npos) return {Kind::malformed};
  const auto scheme = value.substr(0, blank);
  const auto rest = value.substr(blank + 1);
  const bool plain = !rest.empty() && std::ranges::all_of(rest, [](char c) {
    return c > ' ' && c < 0x7F && c != ',' && c != '"';
  });
  if (!plain) return {Kind::malformed};
  if (same_token(scheme, "Bearer")) return {Kind::token, rest};
  if (same_token(scheme, "Basic")) return {Kind::basic, rest};
  return {Kind::malformed};
}

}  // namespace

std::string_view name_of(Evidence::Kind kind) {
  constexpr std::array<std::string_view, 6> kNames{"none",  "malformed", "token",
                                                   "basic", "proxy",     "certificate"};
  return kNames[static_cast<std::size_t>(kind)];
}

Result<std::shared_ptr<const Authenticator>> Authenticator::make(
    const AuthSettings& settings, AuthFiles files, const Digester& digester,
    std::vector<std::shared_ptr<KeySource>> keys) {
  std::shared_ptr<Authenticator> made(new Authenticator(settings, digester));
  auto added = made->add_tokens(files.tokens);
  if (added) added = made->add_certificates();
  if (added) added = made->add_proxies();
  if (!added) return added.error();
  made->users_ = std::move(files.users);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    made->issuers_.push_back({settings.jwt[i], std::move(keys[i])});
  }
  return std::shared_ptr<const Authenticator>(std::move(made));
}

Result<void> Authenticator::add_tokens(const TokenTable& table) {
  for (std::size_t i = 0; i < settings_.tokens.size(); ++i) {
    const auto& one = settings_.tokens[i];
    const auto fault = [i](std::string_view why) {
      return wrong(fmt::format("tokens[{}]: {}", i, why));
    };
    if (one.token.empty() == one.hash.empty()) return fault("give either token or hash");
    auto caller = make_caller(AuthMethod::token, one.name, one.roles, one.scopes);
    if (!one.hash.empty()) {
      auto hash = TokenHash::parse(one.hash);
      if (!hash) return fault("hash " + hash.error().message);
      add_hash({*std::move(hash), std::move(caller)});
      continue;
    }
    if (one.token.size() < kShortest ||
        read_authorization("Bearer " + one.token).kind != Kind::token)
      return fault(
          fmt::format("token must have at least {} characters, without blanks, commas and "
                      "quotes; `patchbay token create` makes a good one",
                      kShortest));
    const Digest mark = digest({Kind::token, one.token});
    if (!plain_.emplace(mark, std::move(caller)).second) return fault("this token is a duplicate");
  }
  for (const auto& one : table.tokens()) {
    const auto until = one.expires
                           ? WallTime(std::chrono::seconds(std::min(*one.expires, 9'000'000'000L)))
                           : WallTime::max();
    add_hash({one.hash, make_caller(AuthMethod::token, one.name, one.roles, one.scopes), until});
  }
  if (without_id_.size() > kMostWithoutId) {
    return wrong(
        fmt::format("at most {} hashes may be of tokens that were created elsewhere; use "
                    "`patchbay token create`",
                    kMostWithoutId));
  }
  return ok();
}

void Authenticator::add_hash(Hashed hashed) {
  if (hashed.hash.id().empty()) {
    without_id_.push_back(std::move(hashed));
  } else {
    std::string id = hashed.hash.id();
    by_id_.insert_or_assign(std::move(id), std::move(hashed));
  }
}

Result<void> Authenticator::add_certificates() {
  for (std::size_t i = 0; i < settings_.certificates.size(); ++i) {
    const auto& one = settings_.certificates[i];
    auto name = parse_name(one.san);
    if (!name) return wrong(fmt::format("certificates[{}].san: {}", i, name.error().message));
    certificates_.push_back(
        {*std::move(name), make_caller(AuthMethod::certificate, one.name, one.roles)});
  }
  return ok();
}

Result<void> Authenticator::add_proxies() {
  if (settings_.proxies.size() > kMostProxies) {
    return wrong(fmt::format("at most {} proxies", kMostProxies));
  }
  for (std::size_t i = 0; i < settings_.proxies.size(); ++i) {
    Proxy proxy{settings_.proxies[i], {}, {}};
    const auto fault = [i](std::string_view why) {
      return wrong(fmt::format("proxies[{}]: {}", i, why));
    };
    for (const auto& text : proxy.settings.from) {
      auto range = net::AddressRange::parse(text);
      if (!range) return fault(range.error().message);
      proxy.from.push_back(*range);
    }
    if (!proxy.settings.certificate.empty()) {
      auto name = parse_name(proxy.settings.certificate);
      if (!name) return fault(name.error().message);
      proxy.certificate = *std::move(name);
    }
    if (proxy.from.empty() && !proxy.certificate)
      return fault("needs from or certificate, to identify the proxy");
    if (!is_token(proxy.settings.header) || same_token(proxy.settings.header, "Authorization")) {
      return fault("header must be the name of a header, and not Authorization");
    }
    proxies_.push_back(std::move(proxy));
  }
  return ok();
}

// All conditions on the proxy must hold.
bool Authenticator::comes_from(const Proxy& proxy, const net::PeerAddress& from,
                               const net::TlsPeer* certificate) const {
  const auto holds = [&](const net::AddressRange& range) { return range.holds(from); };
  if (!proxy.from.empty() && std::ranges::none_of(proxy.from, holds)) return false;
  return !proxy.certificate || (certificate && has_name(*certificate, *proxy.certificate));
}

Evidence Authenticator::evidence(const net::HttpFields& fields, const net::PeerAddress& from,
                                 const net::TlsPeer* certificate) const {
  for (const auto& proxy : proxies_) {
    if (!comes_from(proxy, from, certificate)) continue;
    const auto stated = fields.find(proxy.settings.header);
    if (!stated) continue;
    const auto& roles = proxy.settings.roles_header;
    const bool once =
        fields.count(proxy.settings.header) == 1 && (roles.empty() || fields.count(roles) <= 1);
    if (!once || stated->empty() || stated->size() > kMostName) return {Kind::malformed};
    return {Kind::proxy, *stated,
            roles.empty() ? std::string_view() : fields.find(roles).value_or(""),
            static_cast<std::size_t>(&proxy - proxies_.data())};
  }
  if (const auto given = fields.find("Authorization")) {
    const bool sane =
        given->size() <= settings_.credential.value && fields.count("Authorization") == 1;
    return sane ? read_authorization(*given) : Evidence{Kind::malformed};
  }
  if (certificate && !certificates_.empty()) return {Kind::certificate, certificate->fingerprint};
  return {};
}

Digest Authenticator::digest(const Evidence& evidence) const {
  const Digest made = digester_.of(name_of(evidence.kind), evidence.value);
  if (evidence.kind != Kind::proxy) return made;
  std::string front(reinterpret_cast<const char*>(made.data()), made.size());
  front += static_cast<char>(evidence.proxy);
  return digester_.of(front, evidence.roles);
}

Result<Recognised> Authenticator::at_once(const Evidence& evidence, const Digest& digest,
                                          const net::TlsPeer* certificate) const {
  switch (evidence.kind) {
    case Kind::none:
      return refused("authentication required");
    case Kind::malformed:
      return refused("send one Authorization header: Bearer and a token, or Basic");
    case Kind::proxy:
      return proxied(evidence);
    case Kind::certificate:
      for (const auto& one : certificates_) {
        if (has_name(*certificate, one.name)) return Recognised{one.caller};
      }
      return refused("the client certificate is not known (auth.certificates)");
    case Kind::token:
    case Kind::basic:
      break;
  }
  const auto found = evidence.kind == Kind::token ? plain_.find(digest) : plain_.end();
  return found == plain_.end() ? Recognised{} : Recognised{found->second};
}

Recognised Authenticator::proxied(const Evidence& evidence) const {
  std::vector<std::string> roles = proxies_[evidence.proxy].settings.roles;
  std::string_view rest = evidence.roles;
  while (!rest.empty() && roles.size() < kMostRoles) {
    const auto end = std::min(rest.find(','), rest.size());
    const auto role = net::trim(rest.substr(0, end));
    if (!role.empty()) roles.emplace_back(role);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {make_caller(AuthMethod::proxy, std::string(evidence.value), std::move(roles))};
}

const Authenticator::Issuer* Authenticator::issuer_of(const Jwt& jwt) const {
  const auto found = std::ranges::find_if(
      issuers_, [&](const Issuer& issuer) { return issuer.settings.issuer == jwt.issuer; });
  return found == issuers_.end() ? nullptr : &*found;
}

std::optional<Result<Recognised>> Authenticator::check_jwt(const Jwt& jwt, const Issuer& issuer,
                                                           const KeySet& keys) const {
  const auto& allowed = issuer.settings.algorithms;
  if (!allowed.empty() && std::ranges::find(allowed, name_of(*jwt.algorithm)) == allowed.end()) {
    return refused("the signature algorithm of the token is not supported (alg)");
  }
  const JwsKey* const key = keys.find(jwt.kid, *jwt.algorithm);
  if (!key) return std::nullopt;
  if (!key->verify(jwt.text, jwt.signature)) return refused("the signature of the token is wrong");
  auto caller = check_claims(jwt, {issuer.settings, settings_.resource, settings_.scopes},
                             std::chrono::system_clock::now());
  if (!caller) return caller.error();
  return Recognised{std::make_shared<const Principal>(std::move(caller->principal)), caller->until,
                    issuer.keys, keys.version};
}

std::string Authenticator::credential_name(const Evidence& evidence) const {
  if (evidence.kind == Kind::token) {
    std::string id(token_id(evidence.value));
    // An id that an attacker invents does not count as a name.
    return by_id_.contains(id) ? id : std::string();
  }
  const auto text = evidence.kind == Kind::basic ? base64_decode(evidence.value) : std::nullopt;
  const auto colon = text ? text->find(':') : std::string::npos;
  return colon == std::string::npos ? std::string() : text->substr(0, colon);
}

bool Authenticator::may_have_hash(const std::string& token) const {
  const auto id = token_id(token);
  return id.empty() ? !without_id_.empty() : by_id_.contains(std::string(id));
}

Result<Recognised> Authenticator::check_token(const std::string& token) const {
  const auto take = [](const Hashed& hashed) -> Result<Recognised> {
    if (std::chrono::system_clock::now() >= hashed.until) return refused("the token has expired");
    return Recognised{hashed.caller, hashed.until};
  };
  if (const auto id = token_id(token); !id.empty()) {
    const auto found = by_id_.find(std::string(id));
    if (found != by_id_.end() && found->second.hash.fits(token)) return take(found->second);
    return refused("the token is unknown or was revoked");
  }
  for (const auto& one : without_id_) {
    if (one.hash.fits(token)) return take(one);
  }
  return refused("the token is unknown or was revoked");
}

Result<Recognised> Authenticator::check_password(const std::string& credentials) const {
  const auto text = base64_decode(credentials);
  const auto colon = text ? text->find(':') : std::string::npos;
  if (!users_ || colon == std::string::npos) return refused("Basic authentication is not enabled");
  const std::string user = text->substr(0, colon);
  if (!users_->fits(user, text->substr(colon + 1))) return refused("user or password is wrong");
  const auto& given = settings_.basic->roles;
  const auto found = std::ranges::find(given, user, [](const auto& one) { return one.first; });
  return Recognised{make_caller(AuthMethod::basic, user,
                                found == given.end() ? std::vector<std::string>() : found->second)};
}

}  // namespace patchbay::policy
