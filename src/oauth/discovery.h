// Finding out who gives tokens for an upstream, in the order that the MCP text prescribes: what the
// refusal names, the well-known places of the resource (RFC 9728), those of its authorization
// server (RFC 8414, OpenID Connect); and where a server publishes nothing of the kind, what
// 2025-03-26 said.
#pragma once

#include <optional>
#include <string>

#include "oauth/challenge.h"
#include "oauth/fetcher.h"
#include "oauth/metadata.h"
#include "oauth/plan.h"

namespace patchbay::oauth {

// Where tokens come from, and what they are for.
struct Discovered {
  ServerMetadata server;
  std::string resource;          // Sent with each request for a token; empty: not sent.
  std::optional<Scopes> scopes;  // That the resource is said to have.
};

// REQUIRES: what is referred to outlives the task.
Task<Discovered> discover(const Plan& plan, std::optional<Challenge> challenge);

// The metadata of an issuer, which must say that they are its own.
Task<ServerMetadata> discover_server(const Fetcher& fetcher, std::string issuer);

}  // namespace patchbay::oauth
