// What servers publish about themselves: a protected resource about who gives tokens for it (RFC
// 9728), an authorization server about its endpoints (RFC 8414, OpenID Connect Discovery); and the
// places where these documents are looked for, in the order that the MCP text prescribes.
//
// Nothing in them is trusted beyond its shape: who fetches a URL found here looks at it first.
// Values only; pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "net/http/syntax/url.h"
#include "oauth/scopes.h"

namespace patchbay::oauth {

struct ResourceMetadata {
  std::string resource;
  std::vector<std::string> servers;  // Issuers of tokens for it; at least one.
  std::optional<Scopes> scopes;
};

struct ServerMetadata {
  std::string issuer;
  std::string authorization_endpoint;  // Here and below: empty if there is none.
  std::string token_endpoint;
  std::string registration_endpoint;
  std::string device_endpoint;  // For people whose browser is elsewhere (RFC 8628).
  Scopes scopes;
  std::vector<std::string> grants;       // Empty: it does not say.
  std::vector<std::string> client_auth;  // How clients prove themselves; empty: not said.
  std::vector<std::string> challenges;   // Of PKCE.
  bool says_iss = false;                 // In every answer of its authorization endpoint.
  bool takes_client_documents = false;   // A URL as the id of a client.
  bool guessed = false;                  // It publishes nothing: these are the usual places.
};

// Code::upstream_failed, with what is wrong.
Result<ResourceMetadata> parse_resource_metadata(std::string_view text);
Result<ServerMetadata> parse_server_metadata(std::string_view text);

// Where the metadata of the resource at `url` may be: with its path behind, then at the root.
std::vector<std::string> resource_metadata_places(const net::Url& url);

// Where the metadata of that issuer may be.
Result<std::vector<std::string>> server_metadata_places(const std::string& issuer);

// The endpoints that a server of 2025-03-26 has by default.
ServerMetadata usual_endpoints(const net::Url& server);

// The identifier of the resource at `url`: without query, and without a slash for a path.
std::string resource_of(const net::Url& url);

// True if tokens for `resource` are meant for a server at `url`: the same origin, and a path that
// is that of the server, or a folder above it.
bool covers(std::string_view resource, const net::Url& url);

}  // namespace patchbay::oauth
