// The URL of the collector to which the data of one signal are posted: traces, metrics or logs.
// Pure.
#pragma once

#include <string_view>

#include "core/result.h"
#include "net/http/syntax/url.h"

namespace patchbay::telemetry {

// `endpoint` with `/v1/SIGNAL` added to its path. The error is why it is not a URL.
Result<net::Url> signal_url(std::string_view endpoint, std::string_view signal);

}  // namespace patchbay::telemetry
