#include "oauth/token_request.h"

#include <fmt/format.h>

namespace patchbay::oauth {

Task<TokenAnswer> request_token(const Fetcher& fetcher, const ServerMetadata& server,
                                const Client& client, Form form, TokenUse use) {
  auto fields = prove(client, server, form);
  if (!fields) co_return fields.error();
  *fields += "Content-Type: application/x-www-form-urlencoded\r\n";
  auto fetched = co_await fetcher.post(server.token_endpoint, *std::move(fields), form.text());
  if (!fetched) co_return fetched.error();
  if (fetched->good()) co_return parse_token_answer(fetched->body, use == TokenUse::bearer);
  const bool spent = code_of_refusal(fetched->body) == "invalid_grant";
  co_return Error{spent ? Code::unauthenticated : Code::upstream_failed,
                  fmt::format("{} refuses: {}", server.token_endpoint,
                              reason_of_refusal(fetched->status, fetched->body))};
}

}  // namespace patchbay::oauth
