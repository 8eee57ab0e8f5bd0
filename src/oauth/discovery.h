// Discovers the authorization server of an upstream, in the order of the MCP specification: the
// challenge, the well-known URLs of the resource (RFC 9728), those of its authorization server (RFC
// 8414, OpenID Connect); and for servers that publish none of these, the rules of 2025-03-26.
#pragma once

#include <optional>
#include <string>

#include "oauth/challenge.h"
#include "oauth/fetcher.h"
#include "oauth/metadata.h"
#include "oauth/plan.h"

namespace patchbay::oauth {

// The source of tokens, and their resource.
struct Discovered {
  ServerMetadata server;
  std::string resource;          // Sent with each token request; empty: not sent.
  std::optional<Scopes> scopes;  // The scopes that the resource publishes.
};

// REQUIRES: the arguments outlive the task.
Task<Discovered> discover(const Plan& plan, std::optional<Challenge> challenge);

// The metadata of an issuer, which must name that issuer.
Task<ServerMetadata> discover_server(const Fetcher& fetcher, std::string issuer);

}  // namespace patchbay::oauth
