// Messages that the gateway writes itself: requests to upstreams with the client's raw parameters
// spliced in, notifications, responses. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "mcp/message.h"
#include "mcp/reply.h"
#include "mcp/revision.h"
#include "trace/call_trace.h"

namespace patchbay::mcp {

// Our clientInfo, raw.
const std::string& client_info();

// A request with our own id. `params` is raw JSON of an object.
std::string request(std::uint64_t id, std::string_view method, std::string_view params);
// The same with a raw id of any type; without `params` if they are empty.
std::string request(std::string_view id, std::string_view method, std::string_view params);

// A parsed or composed request as text.
std::string to_text(const Message& request);

// How a client's request is forwarded to an upstream.
struct Forwarding {
  std::string_view id = "0";         // Ours, raw; also the progress token, if there is one.
  std::string_view target_key = {};  // The parameter that names the item...
  std::string_view target = {};      // ...and its name at the upstream.
  Revision to = kNewestSessionBased;
  std::string_view task = {};  // Raw, for an upstream that should run the call as a task.
  // Replaces the trace context that the client sent; null: that is forwarded unchanged.
  const trace::SentContext* context = nullptr;
  bool progress = false;  // The server is to report progress, even if the client did not ask.

  // For the stateless revision only.
  std::string_view capabilities = "{}";  // Of the client, raw.
  std::string_view log_level = {};       // For a client that has set it for its session; a name.
  std::string_view answers = {};  // Raw members for the retry of a call that asked for input.
};

// The client's request in the form of that revision. Members that the revision does not have are
// left out; everything else is forwarded unchanged.
std::string forward(const Message& from, const Forwarding& how);

// The raw params of a request of our own with the envelope of the stateless revision.
std::string with_envelope(std::string_view params, Revision revision,
                          std::string_view capabilities = "{}");

// Whether a member of `_meta` holds a part of the trace context.
bool is_context_key(std::string_view key);

// The raw params of a request of our own with that trace context in their `_meta`, instead of an
// existing one. Unchanged if the context is empty.
std::string with_context(std::string_view params, const trace::SentContext& context);

std::string notification(std::string_view method, std::string_view params);

// Notifies an upstream that our request `id` (raw) is cancelled.
std::string cancelled(std::string_view id, std::string_view reason);

// The raw params of a progress notification with another token in it.
std::string with_token(std::string_view params, std::string_view token);

// A result in the form of the stateless revision: resultType, and `server_info` (raw) in `_meta`.
void make_stateless(Reply& reply, std::string_view server_info);

}  // namespace patchbay::mcp
