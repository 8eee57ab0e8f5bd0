// A finished call of the flight recorder as JSON, for the control API and for the file that SIGUSR1
// writes. It has neither arguments nor results. Pure.
#pragma once

#include <string>

#include "trace/call_record.h"

namespace patchbay::frontends {

// One object on one line. Invisible characters are escaped.
std::string call_json(const trace::CallRecord& call);

}  // namespace patchbay::frontends
