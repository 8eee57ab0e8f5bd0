// A CallFilter selects finished calls by the parameters of a query. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "trace/call_record.h"

namespace patchbay::frontends {

using QueryParameters = std::map<std::string, std::string>;

struct CallFilter {
  // Globs; empty: any.
  std::string tool;      // `upstream.tool`, or the name as requested.
  std::string upstream;  // The name.
  std::string caller;    // The name or the id.
  std::string client;    // Name and version of the client program.
  std::string method;    // The method of MCP.
  std::string outcome;   // `!ok`: any error.
  std::string trace;     // The first hexadecimal digits of the trace id.
  std::int64_t slower_than_ns = 0;
  // The only caller whose calls are selected, as records name it (gateway::recorded_id); nothing:
  // all callers.
  std::optional<std::string> owner = {};

  bool wants(const trace::CallRecord& call) const;
};

// Takes the parameters of the filter out of `query`; Code::invalid_params if one is malformed.
Result<CallFilter> take_filter(QueryParameters& query);

// Code::invalid_params if a parameter has not been taken. `known` lists the parameters that exist,
// for the message.
Result<void> check_taken(const QueryParameters& rest, std::string_view known);

// The minimum number of digits of a trace id in a filter.
inline constexpr std::size_t kFewestTraceDigits = 8;

// A trace id, or its first digits, in lower case; Code::invalid_params if it is neither.
Result<std::string> trace_prefix(std::string_view text);
bool has_prefix(const trace::TraceId& trace, std::string_view prefix);

}  // namespace patchbay::frontends
