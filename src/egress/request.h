// A sandbox's request to the proxy, parsed from the head of an HTTP request: a tunnel (CONNECT), or
// one request to a server over plain HTTP (`GET http://…`). Pure.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "sandbox/egress.h"

namespace patchbay::upstreams {

// The longest head.
inline constexpr std::size_t kEgressHead = 16 * 1024;

struct EgressRequest {
  sandbox::Destination destination;
  bool tunnel = false;
  std::string head;  // What is sent to the server first; empty for a tunnel.
};

// How many bytes of `bytes` are the head, 0 if it is not complete yet.
std::size_t egress_head_size(std::string_view bytes);

// REQUIRES: `head` is a complete head. The error's `data` is the status to answer with.
Result<EgressRequest> parse_egress_request(std::string_view head);

// A response of the proxy itself, after which it closes.
std::string egress_answer(int status, std::string_view text);

}  // namespace patchbay::upstreams
