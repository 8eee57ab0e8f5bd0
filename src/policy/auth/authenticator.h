// The Authenticator checks credentials against the configuration and the files it names, as they
// were when it was made. Methods are tried in this order:
//
//   1. the header of a named proxy, if the request comes from it;
//   2. Authorization: if it is present, only it counts, and nothing else is tried if it is invalid;
//   3. the client certificate of the connection.
//
// Constant once made; shared by all workers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "crypto/keyed_digest.h"
#include "net/http/syntax/parse.h"
#include "net/io/address_range.h"
#include "net/io/peer_address.h"
#include "net/tls/peer.h"
#include "policy/auth/caller_cache.h"
#include "policy/auth/htpasswd.h"
#include "policy/auth/jwt.h"
#include "policy/auth/settings.h"
#include "policy/auth/token_table.h"

namespace patchbay::policy {

// The credentials of a request. Views into the request.
struct Evidence {
  enum class Kind : std::uint8_t { none, malformed, token, basic, proxy, certificate };

  Kind kind = Kind::none;
  std::string_view value = {};
  std::string_view roles = {};  // As stated by a proxy.
  std::size_t proxy = 0;        // Its index.
};

std::string_view name_of(Evidence::Kind kind);

// The contents of the files that the configuration names.
struct AuthFiles {
  TokenTable tokens;
  std::optional<Htpasswd> users;
  std::string text;  // Everything that was read, to detect a change.
};

class Authenticator {
 public:
  struct Issuer {
    JwtSettings settings;
    std::shared_ptr<KeySource> keys;
  };

  // `keys` are those of the issuers in the order of the settings. The error names the setting.
  static Result<std::shared_ptr<const Authenticator>> make(
      const AuthSettings& settings, AuthFiles files, const Digester& digester,
      std::vector<std::shared_ptr<KeySource>> keys);

  const AuthSettings& settings() const { return settings_; }

  // `certificate` is null if the connection has none.
  Evidence evidence(const net::HttpFields& fields, const net::PeerAddress& from,
                    const net::TlsPeer* certificate) const;

  // The name under which failed attempts with the credential are counted: the user, or the id of a
  // token that exists. Empty if it has none.
  std::string credential_name(const Evidence& evidence) const;

  // The key under which a verified credential is cached.
  Digest digest(const Evidence& evidence) const;

  // Checks credentials that need no expensive hash: plain tokens, proxies, certificates. An empty
  // result if these methods do not decide; an error if the credentials are invalid.
  Result<Recognised> at_once(const Evidence& evidence, const Digest& digest,
                             const net::TlsPeer* certificate) const;

  // The issuer of a token; null if it is unknown.
  const Issuer* issuer_of(const Jwt& jwt) const;
  // REQUIRES: `keys` are of that issuer. Null if the key of the token is not among them.
  std::optional<Result<Recognised>> check_jwt(const Jwt& jwt, const Issuer& issuer,
                                              const KeySet& keys) const;
  bool has_issuers() const { return !issuers_.empty(); }

  // False: check_token() would have nothing to compare the token with.
  bool may_have_hash(const std::string& token) const;

  // These take tens of milliseconds: never on a worker.
  Result<Recognised> check_token(const std::string& token) const;
  Result<Recognised> check_password(const std::string& credentials) const;

 private:
  struct Proxy {
    ProxySettings settings;
    std::vector<net::AddressRange> from;
    std::optional<net::TlsName> certificate;
  };
  struct Mapped {
    net::TlsName name;
    Caller caller;
  };
  struct Hashed {
    TokenHash hash;
    Caller caller;
    WallTime until = WallTime::max();
  };

  explicit Authenticator(const AuthSettings& settings, const Digester& digester)
      : settings_(settings), digester_(digester) {}

  Result<void> add_tokens(const TokenTable& table);
  Result<void> add_certificates();
  Result<void> add_proxies();
  void add_hash(Hashed hashed);
  bool comes_from(const Proxy& proxy, const net::PeerAddress& from,
                  const net::TlsPeer* certificate) const;
  Recognised proxied(const Evidence& evidence) const;

  const AuthSettings settings_;
  const Digester digester_;
  std::unordered_map<Digest, Caller, DigestHash> plain_;
  std::unordered_map<std::string, Hashed> by_id_;
  std::vector<Hashed> without_id_;
  std::optional<Htpasswd> users_;
  std::vector<Issuer> issuers_;
  std::vector<Mapped> certificates_;
  std::vector<Proxy> proxies_;
};

}  // namespace patchbay::policy
