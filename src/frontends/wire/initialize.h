// `initialize` over the wire protocol. A client names an MCP revision, which is a date, or a
// version of the wire protocol, "1.0" or "1.1"; the latter also writes capabilities as booleans.
// This component translates the request to MCP, and the gateway's answer back.
//
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "frontends/wire/settings.h"
#include "mcp/message.h"

namespace patchbay::frontends {

// The offer in the `initialize` of a client.
struct WireOffer {
  std::string version = {};  // The agreed version, "1.0" or "1.1"; empty: the client named a date.
  bool chunking = false;     // It accepts chunked messages.
  std::string request = {};  // The request as MCP has it.
};

// Code::invalid_params, with the supported versions in its data, if there is no common version.
Result<WireOffer> read_offer(const mcp::Message& initialize);

// The result of `initialize` (raw) in the form for the client of `offer`.
std::string offer_result(const WireOffer& offer, std::string_view result,
                         const WireSettings& settings);

}  // namespace patchbay::frontends
