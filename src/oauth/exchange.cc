#include "oauth/exchange.h"

#include <fmt/format.h>

#include "oauth/token_request.h"

namespace patchbay::oauth {
namespace {

constexpr std::string_view kExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
constexpr std::string_view kBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
constexpr std::string_view kAccessToken = "urn:ietf:params:oauth:token-type:access_token";
constexpr std::string_view kIdentityAssertionType = "urn:ietf:params:oauth:token-type:id-jag";

std::string_view type_of(SubjectType type) {
  switch (type) {
    case SubjectType::id_token:
      return "urn:ietf:params:oauth:token-type:id_token";
    case SubjectType::jwt:
      return "urn:ietf:params:oauth:token-type:jwt";
    case SubjectType::access_token:
      break;
  }
  return kAccessToken;
}

// A refused assertion is used up: it is not sent again before it changes.
Error final_refusal(const Error& why) {
  return {why.code == Code::unauthenticated ? Code::upstream_failed : why.code, why.message};
}

}  // namespace

Result<std::string> ExchangedToken::subject() {
  const Settings& settings = plan().settings;
  if (key_.empty()) {
    return settings.subject_file.empty() ? Result<std::string>(std::string())
                                         : read_token_file(settings.subject_file);
  }
  auto token = tokens_.find(key_, std::chrono::system_clock::now());
  if (token) return *std::move(token);
  return Error{Code::forbidden,
               fmt::format("{} needs a JSON Web Token of the caller to exchange, and this caller "
                           "did not authenticate with one",
                           plan().upstream)};
}

Task<TokenAnswer> ExchangedToken::obtain(TokenRequirements requirements) {
  auto headers = subject();
  if (!headers) co_return headers.error();
  auto looked = co_await directory_.look(requirements);
  if (!looked) co_return looked.error();
  asked_ = directory_.scopes(requirements);
  auto task =
      plan().settings.exchange ? redeem(*std::move(headers)) : exchange(*std::move(headers));
  auto answer = co_await task;
  if (answer) co_return answer;
  directory_.forget();  // The discovered server may have been wrong.
  co_return final_refusal(answer.error());
}

// At the authorization server of the upstream itself.
Task<TokenAnswer> ExchangedToken::exchange(std::string subject) {
  const Discovered& found = directory_.found();
  Form form;
  if (subject.empty()) {
    form.add("grant_type", "client_credentials");
  } else {
    form.add("grant_type", kExchange)
        .add("subject_token", subject)
        .add("subject_token_type", type_of(plan().settings.subject_type))
        .add("requested_token_type", kAccessToken)
        .add("audience", plan().settings.audience);
  }
  form.add("scope", join_scopes(asked_)).add("resource", found.resource);
  co_return co_await request_token(*plan().fetcher, found.server, plan().client, std::move(form));
}

// At the authorization server of the caller, for an assertion that the upstream's server accepts.
Task<TokenAnswer> ExchangedToken::redeem(std::string subject) {
  if (subject.empty()) {
    co_return Error{Code::upstream_failed,
                    "the gateway's own connection has nothing to exchange: set subject_file"};
  }
  const Discovered& found = directory_.found();
  const ExchangeSettings& there = *plan().settings.exchange;
  ServerMetadata knows_caller;
  knows_caller.issuer = there.token_url;
  knows_caller.token_endpoint = there.token_url;
  Form form;
  form.add("grant_type", kExchange)
      .add("subject_token", subject)
      .add("subject_token_type", type_of(plan().settings.subject_type))
      .add("requested_token_type", kIdentityAssertionType)
      .add("audience",
           plan().settings.audience.empty() ? found.server.issuer : plan().settings.audience)
      .add("scope", join_scopes(asked_))
      .add("resource", found.resource);
  const Client client{there.client_id, there.client_secret, there.client_auth};
  auto assertion = co_await request_token(*plan().fetcher, knows_caller, client, std::move(form),
                                          TokenUse::assertion);
  if (!assertion) co_return assertion.error();
  Form second;
  second.add("grant_type", kBearer)
      .add("assertion", assertion->access)
      .add("scope", join_scopes(asked_))
      .add("resource", found.resource);
  co_return co_await request_token(*plan().fetcher, found.server, plan().client, std::move(second));
}

Task<TokenAnswer> AssertedToken::obtain(TokenRequirements requirements) {
  const Plan& plan = directory_.plan();
  auto assertion = read_token_file(plan.settings.token_file);
  if (!assertion) co_return assertion.error();
  auto looked = co_await directory_.look(requirements);
  if (!looked) co_return looked.error();
  const Discovered& found = directory_.found();
  asked_ = directory_.scopes(requirements);
  Form form;
  form.add("grant_type", kBearer)
      .add("assertion", *assertion)
      .add("scope", join_scopes(asked_))
      .add("resource", found.resource);
  auto answer = co_await request_token(*plan.fetcher, found.server, plan.client, std::move(form));
  if (answer) co_return answer;
  directory_.forget();
  co_return final_refusal(answer.error());
}

}  // namespace patchbay::oauth
