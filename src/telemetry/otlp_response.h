// Answers of a collector: whether it accepted the data, and whether the same request may be sent
// again.
//
// Pure; the bytes are foreign.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "telemetry/settings.h"

namespace patchbay::telemetry {

// Items that the collector has rejected although it accepted the request, and why.
struct PartialSuccess {
  std::uint64_t rejected = 0;
  std::string why;
};

// From the body of an answer with status 200. An unreadable body yields nothing.
PartialSuccess read_partial_success(Encoding encoding, std::string_view body);

// The same request may succeed later.
bool is_retryable(int status);

// The seconds of a Retry-After; nothing if there is no such field, or if it is a date.
std::optional<std::chrono::seconds> read_retry_after(std::string_view field);

}  // namespace patchbay::telemetry
