#include "transport/credentials.h"

#include <algorithm>

#include "core/discard.h"
#include "core/http_token.h"

namespace patchbay::transport {
namespace {

constexpr int kMostTries = 3;
constexpr std::size_t kMaxRefusal = 64 << 10;  // Of a refusal.
constexpr auto kTimeout = std::chrono::seconds(1);

bool is_refusal(int status) { return status == 401 || status == 403; }

Refused refusal_of(const net::HttpResponse& response) {
  Refused refused{response.status()};
  for (const auto& field : response.fields()) {
    if (same_token(field.name, "WWW-Authenticate")) refused.challenges.emplace_back(field.value);
  }
  return refused;
}

}  // namespace

Task<std::unique_ptr<net::HttpResponse>> request_with(Credentials& credentials, net::HttpPool& pool,
                                                      const net::HttpCall& call,
                                                      Deadline deadline) {
  AuthHeadersPtr headers = credentials.at_hand();
  if (!headers) {
    auto got = co_await credentials.get(deadline);
    if (!got) co_return got.error();
    headers = *std::move(got);
  }
  for (int tries = 1;; ++tries) {
    std::string fields(call.fields);
    if (headers) fields += headers->fields;
    net::HttpCall with = call;
    with.fields = fields;
    auto response = co_await pool.request(with, deadline);
    if (!response || !is_refusal((*response)->status()) || tries == kMostTries) co_return response;
    Refused refused = refusal_of(**response);
    auto better = co_await credentials.better_than(headers, std::move(refused), deadline);
    if (!better) co_return better.error();
    if (!*better) co_return response;
    // Read to its end, so that the connection can be reused.
    const Deadline soon = std::min(deadline, here().now() + kTimeout);
    auto rest = co_await (*response)->read_all(kMaxRefusal, soon);
    discard(rest, "a longer body only costs the connection");
    // A refused request was not executed, so it may be sent again.
    headers = *std::move(better);
  }
}

}  // namespace patchbay::transport
