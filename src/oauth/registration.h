// Becoming a client of an authorization server that does not know us: by a document that we
// publish, or by dynamic registration (RFC 7591).
#pragma once

#include <string>
#include <string_view>

#include "oauth/client.h"
#include "oauth/fetcher.h"

namespace patchbay::oauth {

// The metadata of our client.
struct ClientRequest {
  std::string name;      // For people.
  std::string redirect;  // The callback URL.
};

// A registered client, and its redirect URI.
struct Registered {
  Client client;
  std::string redirect;
  std::int64_t expires = 0;  // Of its secret, in seconds since 1970; 0: never.
};

// The client metadata document that we publish at the URL `id`, which is then our client id.
std::string client_document(const std::string& id, const ClientRequest& request);

// REQUIRES: the arguments outlive the task; the server has a registration endpoint.
Task<Registered> register_client(const Fetcher& fetcher, const ServerMetadata& server,
                                 ClientRequest request);

// The answer of the server; and the form in which it is stored.
Result<Registered> parse_registration(std::string_view body, std::string redirect);
std::string to_text(const Registered& registered);
Result<Registered> registered_from(std::string_view text);

}  // namespace patchbay::oauth
