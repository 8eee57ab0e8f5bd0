// A Reply is what answers a request: a raw result, or a raw error object, and nothing about who
// asked. The front end puts the client's own id around it.
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

// What a result of the stateless revision says it is.
enum class ResultType : std::uint8_t { none, complete, input_required, task, other };

struct Reply {
  std::string body;  // Raw JSON of `result` or `error`.
  bool is_error = false;
  std::optional<Code> why;               // Set when the gateway itself failed the request.
  std::optional<Revision> from = {};     // Of the upstream that it came from, if it did.
  std::optional<std::string> task = {};  // What its upstream calls the task it says was made.

  // What is known of a result's top level, so that nobody has to look again.
  ResultType type = ResultType::none;
  bool has_hints = false;     // ttlMs or cacheScope is there.
  bool is_loose = false;      // structuredContent is there and is no object.
  std::size_t meta_at = 0;    // Where result._meta begins in the body...
  std::size_t meta_size = 0;  // ...and how long it is; 0 if there is none.
};

Reply result_reply(std::string body);
Reply error_reply(const Error& error);

// A result of which nothing is known yet. REQUIRES: a Cursor has passed over it.
Reply scanned_reply(std::string body);

// The reply inside a response from an upstream. REQUIRES: message.kind is response.
Reply reply_of(const Message& message);

// The same without memory of its own: it takes that of `text`, which the message was scanned from.
Reply reply_of(const Message& message, std::string& text);

// `{"jsonrpc":"2.0","id":ID,"result":` or the same with "error"; the body, for whose bytes there is
// room already, and a brace follow.
std::string response_head(std::string_view id, bool is_error, std::size_t body = 0);

// The whole response. An empty id is written as null.
std::string response(std::string_view id, const Reply& reply);

// The same for an error that answers nothing in particular.
std::string response_without_id(const Reply& reply);

// The raw error object of an Error: code, message, data.reason.
std::string error_object(const Error& error);

// Puts raw JSON members (`"a":1,"b":2`) at the front of a result.
void add_to_result(Reply& reply, std::string members);

}  // namespace patchbay::mcp
