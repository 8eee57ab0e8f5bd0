// `initialize` over the wire protocol. A client names an MCP revision, which is a date, or a
// version of the wire protocol's own, "1.0" or "1.1"; the latter also writes capabilities as truth
// values. Here its request is translated to MCP, and the answer of the gateway back.
//
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "frontends/wire/settings.h"
#include "mcp/message.h"

namespace patchbay::frontends {

// What a client offers that sends `initialize`.
struct WireOffer {
  std::string version = {};  // What was agreed on, "1.0" or "1.1"; empty: the client named a date.
  bool chunking = false;     // It takes messages in pieces.
  std::string request = {};  // The request as MCP has it.
};

// Code::invalid_params, with what we know in its data, if no version is common.
Result<WireOffer> read_offer(const mcp::Message& initialize);

// The result of `initialize` (raw) as the client of `offer` wants it.
std::string offer_result(const WireOffer& offer, std::string_view result,
                         const WireSettings& settings);

}  // namespace patchbay::frontends
