// Messages that the gateway writes itself: requests to upstreams with the client's raw parameters
// spliced in, notifications, answers. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "mcp/message.h"
#include "mcp/reply.h"
#include "mcp/revision.h"

namespace patchbay::mcp {

// Who we are to a server, raw.
const std::string& client_info();

// A request with our own id. `params` is raw JSON of an object.
std::string request(std::uint64_t id, std::string_view method, std::string_view params);
// The same with a raw id of any type; without `params` if they are empty.
std::string request(std::string_view id, std::string_view method, std::string_view params);

// A request that was taken apart, or put together from parts, as text again.
std::string to_text(const Message& request);

// How a client's request goes to an upstream.
struct Forwarding {
  std::string_view id = "0";         // Ours, raw; also the progress token, if one is wanted.
  std::string_view target_key = {};  // The parameter that names the item...
  std::string_view target = {};      // ...and how the upstream calls it.
  Revision to = kNewestSessionBased;
  std::string_view task = {};  // Raw, for an upstream that is to make a task of the call.

  // For the stateless revision only.
  std::string_view capabilities = "{}";  // Of the client, raw.
  std::string_view log_level = {};       // Of a client that said it once and for all; a name.
  std::string_view answers = {};         // Raw members for the retry of a call that asked.
};

// The client's request as a server of that revision wants it. What the revision does not know is
// left out, everything else goes as it came.
std::string forward(const Message& from, const Forwarding& how);

// The raw params of a request of our own with the envelope that the stateless revision wants.
std::string with_envelope(std::string_view params, Revision revision,
                          std::string_view capabilities = "{}");

std::string notification(std::string_view method, std::string_view params);

// Tells an upstream that the request `id` (raw) of ours is no longer wanted.
std::string cancelled(std::string_view id, std::string_view reason);

// The raw params of a progress notification with another token in it.
std::string with_token(std::string_view params, std::string_view token);

// A result as the stateless revision wants it: resultType, and `server_info` (raw) in `_meta`.
void make_stateless(Reply& reply, std::string_view server_info);

}  // namespace patchbay::mcp
