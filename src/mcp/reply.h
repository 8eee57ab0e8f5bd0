// A Reply answers a request: a raw result, or a raw error object, without an id. The frontend adds
// the id of the client.
//
// Values only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.h"
#include "mcp/message.h"
#include "mcp/revision.h"

namespace patchbay::mcp {

// The resultType of the stateless revision.
enum class ResultType : std::uint8_t { none, complete, input_required, task, other };

struct Reply {
  std::string body;  // Raw JSON of `result` or `error`.
  bool is_error = false;
  std::optional<Code> why;               // Set when the gateway itself failed the request.
  std::optional<Revision> from = {};     // Of the upstream that it came from, if it did.
  std::optional<std::string> task = {};  // The upstream's id of the task that it created.

  // Facts about the top level of a result, so that it is scanned only once.
  ResultType type = ResultType::none;
  bool has_hints = false;     // ttlMs or cacheScope is there.
  bool is_loose = false;      // structuredContent is there and is not an object.
  bool has_failed = false;    // isError is true.
  std::size_t meta_at = 0;    // Where result._meta begins in the body...
  std::size_t meta_size = 0;  // ...and how long it is; 0 if there is none.
};

Reply result_reply(std::string body);
Reply error_reply(const Error& error);

// A result that has not been scanned. REQUIRES: a Cursor has validated it.
Reply scanned_reply(std::string body);

// The reply inside a response from an upstream. REQUIRES: message.kind is response.
Reply reply_of(const Message& message);

// The same without a copy: it takes the memory of `text`, which the message was scanned from.
Reply reply_of(const Message& message, std::string& text);

// `{"jsonrpc":"2.0","id":ID,"result":` or the same with "error"; the body, for which memory is
// reserved, and a brace follow.
std::string response_head(std::string_view id, bool is_error, std::size_t body = 0);

// The whole response. An empty id is written as null.
std::string response(std::string_view id, const Reply& reply);

// The same for an error that answers no request.
std::string response_without_id(const Reply& reply);

// The raw error object of an Error: code, message, data.reason.
std::string error_object(const Error& error);

// Inserts raw JSON members (`"a":1,"b":2`) at the front of a result.
void add_to_result(Reply& reply, std::string members);

}  // namespace patchbay::mcp
