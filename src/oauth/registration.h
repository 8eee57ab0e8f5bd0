// How we become a client of an authorization server that has not registered us before: by a
// document that we publish, or by registering ourselves (RFC 7591).
#pragma once

#include <string>
#include <string_view>

#include "oauth/client.h"
#include "oauth/fetcher.h"

namespace patchbay::oauth {

// What is said of us.
struct ClientRequest {
  std::string name;      // For people.
  std::string redirect;  // Where browsers come back to.
};

// A client as which we are registered, and what for.
struct Registered {
  Client client;
  std::string redirect;
  std::int64_t expires = 0;  // Its secret, in seconds since 1970; 0: never.
};

// The document about us that stands at the URL `id`, which is our id then.
std::string client_document(const std::string& id, const ClientRequest& wish);

// REQUIRES: what is referred to outlives the task; the server has a registration endpoint.
Task<Registered> register_client(const Fetcher& fetcher, const ServerMetadata& server,
                                 ClientRequest wish);

// What the server answers, and as it is kept.
Result<Registered> parse_registration(std::string_view body, std::string redirect);
std::string to_text(const Registered& registered);
Result<Registered> registered_from(std::string_view text);

}  // namespace patchbay::oauth
