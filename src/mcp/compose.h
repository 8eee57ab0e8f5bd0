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

// A request with our own id. `params` is raw JSON of an object.
std::string request(std::uint64_t id, std::string_view method, std::string_view params);
// The same with a raw id of any type; without `params` if they are empty.
std::string request(std::string_view id, std::string_view method, std::string_view params);

// The client's request for a server of revision `to`: our id and progress token, the target (a
// name, or the name inside a reference) as the upstream calls it, everything else as it came,
// except what that revision does not know. The client's own envelope never goes further; a
// stateless server gets ours (see envelope()).
std::string forward(const Message& from, std::uint64_t id, std::string_view target_key,
                    std::string_view target, Revision to = kNewestLegacy,
                    std::string_view envelope = {});

// The members of `_meta` that every request to a stateless server has. `capabilities` and
// `client_info` are raw; the latter and the log level are left out if they are empty.
std::string envelope(std::string_view capabilities, std::string_view client_info,
                     std::string_view log_level);

std::string notification(std::string_view method, std::string_view params);

// Tells an upstream that the request `id` of ours is no longer wanted.
std::string cancelled(std::uint64_t id, std::string_view reason);

// The raw params of a progress notification with another token in it.
std::string with_token(const Message& progress, std::string_view token);

// An error of an upstream as the stateless revision wants it: a resource that is not found has the
// code of wrong parameters there, and names the URI.
void make_modern_error(Reply& reply, std::string_view uri);

// A result as the stateless revision wants it: resultType, and `server_info` (raw) in `_meta`.
void make_modern(Reply& reply, std::string_view server_info);

}  // namespace patchbay::mcp
