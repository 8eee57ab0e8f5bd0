#include "frontends/quota_fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/read.h"

namespace patchbay::frontends {

std::string quota_fields(const gateway::Call& call) {
  if (!call.quota) return "";
  const auto reset = std::chrono::ceil<std::chrono::seconds>(call.quota->reset).count();
  return fmt::format(
      "X-RateLimit-Limit: {}\r\nX-RateLimit-Remaining: {}\r\nX-RateLimit-Reset: {}\r\n",
      call.quota->limit, call.quota->remaining, reset);
}

std::string retry_field(int status, std::string_view data) {
  if (status != 503 && status != 429) return "";
  const auto wait = json::as_int(json::member(data, "retryAfterMs").value_or("")).value_or(0);
  // Rounded up without overflow, whatever the number.
  const std::int64_t seconds = wait / 1000 + (wait % 1000 > 0 ? 1 : 0);
  return fmt::format("Retry-After: {}\r\n", std::max<std::int64_t>(1, seconds));
}

}  // namespace patchbay::frontends
