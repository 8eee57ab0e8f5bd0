// Messages that the gateway writes itself: requests to upstreams with the client's raw parameters
// spliced in, notifications, answers. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "mcp/message.h"
#include "mcp/reply.h"

namespace patchbay::mcp {

// A request with our own id. `params` is raw JSON of an object.
std::string request(std::uint64_t id, std::string_view method, std::string_view params);
// The same with a raw id of any type; without `params` if they are empty.
std::string request(std::string_view id, std::string_view method, std::string_view params);

// The client's request as a server with sessions wants it: our id and progress token, the target
// (a name, or the name inside a reference) as the upstream calls it, everything else as it came.
// What only the stateless revision knows is left out.
std::string forward(const Message& from, std::uint64_t id, std::string_view target_key,
                    std::string_view target);

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
