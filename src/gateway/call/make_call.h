// The only function with which frontends make a Call, from named parts. The pipeline sets the rest
// later.
//
// Called on the worker that the call belongs to.
#pragma once

#include <utility>

#include "gateway/call/call.h"

namespace patchbay::gateway {

// REQUIRES: everything referred to outlives the call.
struct CallParts {
  const mcp::Message& request;
  const mcp::Method& method;
  mcp::Revision revision;
  std::string_view frontend;
  Caller caller;
  std::string_view from = {};  // The address of the client; empty for our own stdin.
  Peer& client;
  Deadline deadline;
  std::size_t bytes_in = 0;

  std::string_view session = {};         // Empty for a client without one.
  std::string_view session_digest = {};  // See Call.
  std::string_view capabilities = "{}";  // Of the client, raw.
  std::string_view client_info = {};     // See Call.
  std::optional<int> log_level = {};     // See Call.
  trace::ReceivedContext trace = {};     // The trace context that arrived with the message.
  trace::Lapse authenticated = {};       // How long the caller's authentication took.
  const mcp::FindHeader* headers = nullptr;
  bool linked = false;
  bool has_user = false;
  bool keeps_null = false;
};

inline Call make_call(CallParts parts) {
  return {.request = parts.request,
          .method = parts.method,
          .revision = parts.revision,
          .frontend = parts.frontend,
          .owner = here(),
          .client = parts.client,
          .deadline = parts.deadline,
          .bytes_in = parts.bytes_in,
          .caller = std::move(parts.caller),
          .session = parts.session,
          .session_digest = parts.session_digest,
          .capabilities = parts.capabilities,
          .client_info = parts.client_info,
          .log_level = parts.log_level,
          .headers = parts.headers,
          .linked = parts.linked,
          .has_user = parts.has_user,
          .keeps_null = parts.keeps_null,
          .from = parts.from,
          .trace = trace::CallTrace(parts.trace, parts.authenticated)};
}

}  // namespace patchbay::gateway
