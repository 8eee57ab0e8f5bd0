// Answers of the REST front end: an MCP reply in the form of the dialect of a path. Pure.
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
  std::string_view event = "result";  // What it is called in an event stream.
};

// With the body of error_body().
RestAnswer error_answer(Dialect dialect, int status, const Error& error);
// With the status of the error's code.
RestAnswer error_answer(Dialect dialect, const Error& error);

// What the HTTP server refuses by itself, in the form of the dialect.
net::HttpRefusal rest_refusal(Dialect dialect, int status, std::string_view message);

// A reply that is an error. `reading`: a resource was asked for, so that parameters which an
// upstream does not accept mean that there is none.
RestAnswer failure_answer(Dialect dialect, const mcp::Reply& reply, bool reading);

// The result of a tool. `path` is where it was called: questions are answered below it.
RestAnswer tool_answer(Dialect dialect, mcp::Reply reply, std::string_view path);

}  // namespace patchbay::frontends
