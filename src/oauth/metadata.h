// Metadata that servers publish: a protected resource about its authorization servers (RFC 9728),
// an authorization server about its endpoints (RFC 8414, OpenID Connect Discovery); and the URLs of
// these documents, in the order of the MCP specification.
//
// Only the form is checked here: code that fetches a URL found here must check it first. Values
// only; pure.
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
  std::vector<std::string> servers;  // Issuers of its tokens; at least one.
  std::optional<Scopes> scopes;
};

struct ServerMetadata {
  std::string issuer;
  std::string authorization_endpoint;  // Here and below: empty if there is none.
  std::string token_endpoint;
  std::string registration_endpoint;
  std::string device_endpoint;  // For the device flow (RFC 8628).
  Scopes scopes;
  std::vector<std::string> grants;       // Empty: not stated.
  std::vector<std::string> client_auth;  // Methods of client authentication; empty: not stated.
  std::vector<std::string> challenges;   // Of PKCE.
  bool sends_iss = false;                // In every response of its authorization endpoint.
  bool takes_client_documents = false;   // A URL may be a client id.
  bool guessed = false;                  // It publishes nothing: these are the default endpoints.
};

// Code::upstream_failed, with the reason.
Result<ResourceMetadata> parse_resource_metadata(std::string_view text);
Result<ServerMetadata> parse_server_metadata(std::string_view text);

// Candidate URLs for the metadata of the resource at `url`: with its path appended, then at the
// root.
std::vector<std::string> resource_metadata_urls(const net::Url& url);

// Candidate URLs for the metadata of that issuer.
Result<std::vector<std::string>> server_metadata_urls(const std::string& issuer);

// The default endpoints of a server of 2025-03-26.
ServerMetadata usual_endpoints(const net::Url& server);

// The identifier of the resource at `url`: without query, and without a slash as its path.
std::string resource_of(const net::Url& url);

// True if tokens for `resource` are valid for a server at `url`: the same origin, and the same path
// or a folder above it.
bool covers(std::string_view resource, const net::Url& url);

}  // namespace patchbay::oauth
