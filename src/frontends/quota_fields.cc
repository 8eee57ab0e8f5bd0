#include "frontends/quota_fields.h"

#include <fmt/format.h>

#include "json/read.h"

namespace patchbay::frontends {

std::string quota_fields(const gateway::Call& call, const mcp::Reply& reply) {
  std::string fields;
  if (call.quota) {
    const auto reset = std::chrono::ceil<std::chrono::seconds>(call.quota->reset).count();
    fields = fmt::format(
        "X-RateLimit-Limit: {}\r\nX-RateLimit-Remaining: {}\r\nX-RateLimit-Reset: {}\r\n",
        call.quota->limit, call.quota->remaining, reset);
  }
  if (reply.why == Code::rate_limited) {
    const auto data = json::member(reply.body, "data").value_or("{}");
    fields += fmt::format("Retry-After: {}\r\n", json::member(data, "retryAfter").value_or("1"));
  }
  return fields;
}

}  // namespace patchbay::frontends
