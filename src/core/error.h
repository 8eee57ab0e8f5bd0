// Error is the one failure type of the gateway: a code for programs, a sentence for people.
//
// One table has the outside form of each code (log and metric label, HTTP status, JSON-RPC code),
// so the three always agree. Values only; usable from any thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay {

enum class Code : std::uint8_t {
  parse_error,          // Not JSON, or JSON beyond our limits.
  invalid_request,      // JSON, but not a valid request.
  method_not_found,     // No such MCP method in this revision.
  invalid_params,       // The method is known, its parameters are wrong.
  header_mismatch,      // An HTTP header differs from the body.
  missing_capability,   // The client did not declare what the call needs.
  unsupported_version,  // The protocol revision is not supported.
  unauthenticated,
  forbidden,
  not_found,           // An unknown name; a forbidden one looks the same.
  resource_not_found,  // Only for the revisions that distinguish it.
  session_not_found,
  too_large,
  rate_limited,  // The caller, or all callers together, send too many requests.
  overloaded,    // A bounded queue is full.
  timeout,
  cancelled,
  unavailable,      // The upstream is down or not up yet.
  upstream_failed,  // The upstream failed while answering.
  internal,
};

struct CodeInfo {
  std::string_view name;  // In logs, metrics and error data.
  int http;
  int rpc;
};

// Same order as the enum.
// clang-format off
inline constexpr std::array kCodes{
    CodeInfo{"parse_error", 400, -32700},
    CodeInfo{"invalid_request", 400, -32600},
    CodeInfo{"method_not_found", 404, -32601},
    CodeInfo{"invalid_params", 400, -32602},
    CodeInfo{"header_mismatch", 400, -32020},
    CodeInfo{"missing_capability", 400, -32021},
    CodeInfo{"unsupported_version", 400, -32022},
    CodeInfo{"unauthenticated", 401, -32005},
    CodeInfo{"forbidden", 403, -32004},
    CodeInfo{"not_found", 404, -32602},
    CodeInfo{"resource_not_found", 404, -32002},
    CodeInfo{"session_not_found", 404, -32001},
    CodeInfo{"too_large", 413, -32600},
    CodeInfo{"rate_limited", 429, -32029},
    CodeInfo{"overloaded", 503, -32003},
    CodeInfo{"timeout", 504, -32001},
    CodeInfo{"cancelled", 499, -32000},
    CodeInfo{"unavailable", 503, -32000},
    CodeInfo{"upstream_failed", 502, -32000},
    CodeInfo{"internal", 500, -32603},
};
// clang-format on
static_assert(kCodes.size() == static_cast<std::size_t>(Code::internal) + 1);

constexpr const CodeInfo& info(Code code) { return kCodes[static_cast<std::size_t>(code)]; }

struct Error {
  Code code = Code::internal;
  std::string message = "no value";
  std::string data = {};  // Raw JSON for the `data` member of a JSON-RPC error; may be empty.
};

// The time in milliseconds after which to retry, in the data of an error.
inline void set_retry_after(Error& error, std::chrono::milliseconds wait) {
  error.data = "{\"reason\":\"" + std::string(info(error.code).name) +
               "\",\"retryAfterMs\":" + std::to_string(wait.count()) + "}";
}

}  // namespace patchbay
