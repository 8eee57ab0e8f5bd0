// An endpoint says in one text where an MCP server is and how to speak to it:
//
//   stdio://python3 calc_server.py     http(s)://host/path     sse(s)://host/path
//   custom-http(s)-sse://host/base     tcp://host:port         unix:///path
//   wire-tcp://host, tcps://host       ws(s)://host/path
//
// Values only.
#pragma once

#include <string>
#include <string_view>

#include "config/node.h"
#include "core/result.h"

namespace patchbay::app {

// The entry of an upstream, with its kind and the settings that the endpoint stands for.
Result<config::Node> read_endpoint(std::string_view endpoint);

// All schemes, for people.
std::string endpoint_schemes();

}  // namespace patchbay::app
