// Answers of the REST frontend: an MCP reply in the form of the dialect of a path.
//
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "frontends/rest/path.h"
#include "mcp/reply.h"
#include "net/http/server/exchange.h"
#include "net/http/server/routes.h"

namespace patchbay::frontends {

struct RestAnswer {
  int status = 200;
  std::string body;
  std::string fields = {};            // Header lines, each with its CRLF.
  std::string type{net::kJson};       // Of the body.
  std::string_view event = "result";  // Its event name in an event stream.
};

// With the body of error_body().
RestAnswer error_answer(Dialect dialect, int status, const Error& error);
// With the status of the error's code.
RestAnswer error_answer(Dialect dialect, const Error& error);

// Refusals of the HTTP server itself, in the form of the dialect.
net::HttpRefusal rest_refusal(Dialect dialect, int status, std::string_view message);

// A reply that is an error. `reading`: the request was for a resource, so parameters that an
// upstream does not accept mean that there is no such resource.
RestAnswer failure_answer(Dialect dialect, const mcp::Reply& reply, bool reading);

// The result of a tool. `path` is the path of the call: questions are answered below it.
RestAnswer tool_answer(Dialect dialect, mcp::Reply reply, std::string_view path);

}  // namespace patchbay::frontends
