// An ExportedCall is a finished call of a sampled trace, with what only its spans contain.
//
// A value.
#pragma once

#include <string>

#include "trace/stored_call.h"

namespace patchbay::trace {

// Arguments and result as the settings say: redacted, and bounded.
struct ExportedCall {
  StoredCall call;
  std::string tracestate = {};
  std::string arguments = {};
  std::string result = {};
  RequestTarget received = {};
  RequestTarget sent = {};  // The latest one.

  std::size_t bytes() const {
    return sizeof(*this) - sizeof(call) + call.bytes() + tracestate.size() + arguments.size() +
           result.size();
  }
};

}  // namespace patchbay::trace
