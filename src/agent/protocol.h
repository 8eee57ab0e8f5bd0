// The wire format of the agent: one JSON-RPC 2.0 message a line, requests in, responses and
// notifications out.
//
// Values only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::agent {

struct Request {
  std::uint64_t id = 0;
  std::string method;
  std::string params;  // Raw; empty if there are none.
};

// Reads one line. Code::parse_error if it is no JSON, Code::invalid_request if it is no request.
// `id` is set if it could be read, also of an invalid request.
Result<Request> parse_request(std::string_view line, std::optional<std::uint64_t>& id);

// A number without sign, fraction or exponent.
std::optional<std::uint64_t> as_u64(std::string_view raw);

// Each is a whole line, with its end. `id` is 0 or null where none could be read. A result may be
// large: the line is built in its memory.
std::string success(std::uint64_t id, std::string result);
std::string failure(std::string_view id, const Error& error);
std::string notification(std::string_view method, std::string_view params);

// `CONNECT <port>`, by which a client of a virtual machine's socket names the port; empty if the
// line is something else. An unreadable port counts as the usual one.
std::optional<unsigned> connect_port(std::string_view line);

}  // namespace patchbay::agent
