// Faults of the wire protocol: a code with an HTTP equivalent, a sentence, and details. One table
// maps them to our Codes and back.
//
// Values only.
#pragma once

#include <string>
#include <string_view>

#include "core/error.h"

namespace patchbay::wire {

enum class FaultCode : std::uint8_t {
  invalid_request,
  unauthorized,
  forbidden,
  not_found,
  rate_limit_exceeded,
  internal_error,
  service_unavailable,
};

struct FaultInfo {
  std::string_view name;
  int http;
  Code code;  // Our code when a peer sends it.
};

const FaultInfo& info(FaultCode code);

// The fault that is sent to a peer for an error of ours.
FaultCode fault_code(Code code);

// The raw error object {code, message, details}. `details` is a raw object; if it is empty, the
// details contain our own name of the error.
std::string fault_object(const Error& error, std::string_view details = {});

// Parses an ERROR frame or the `error` of an envelope: an error envelope, a bare {code, message,
// details}, or plain text. `raw` of a details object becomes the error's data.
Error parse_fault(std::string_view text);

}  // namespace patchbay::wire
