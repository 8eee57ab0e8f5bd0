// An endpoint is one text that names the address of an MCP server and its protocol:
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

// The entry of an upstream: its kind and the settings that the endpoint stands for.
Result<config::Node> read_endpoint(std::string_view endpoint);

// All schemes, for people.
std::string endpoint_schemes();

}  // namespace patchbay::app
