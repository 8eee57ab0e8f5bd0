#include "oauth/supplier.h"

#include "oauth/token_request.h"

namespace patchbay::oauth {

bool Directory::knows_issuer() const {
  const Settings& settings = plan_->settings;
  return found_ || !settings.issuer.empty() || !settings.token_url.empty();
}

Task<void> Directory::look(const TokenRequirements& requirements) {
  if (requirements.refused) found_.reset();
  if (found_) co_return ok();
  auto found = co_await discover(*plan_, requirements.challenge);
  if (!found) co_return found.error();
  found_ = *std::move(found);
  co_return ok();
}

Scopes Directory::scopes(const TokenRequirements& requirements) const {
  const auto challenged = requirements.challenge ? requirements.challenge->scopes : std::nullopt;
  return unite(choose_scopes(plan_->settings.scopes, challenged, found_->scopes),
               requirements.more);
}

Task<TokenAnswer> ConfiguredToken::obtain(TokenRequirements) {
  TokenAnswer answer;
  answer.access = plan_->settings.token;
  if (!plan_->settings.token_file.empty()) {
    auto token = read_token_file(plan_->settings.token_file);
    if (!token) co_return token.error();
    answer.access = *std::move(token);
  }
  co_return answer;
}

Task<TokenAnswer> OwnToken::obtain(TokenRequirements requirements) {
  auto looked = co_await directory_.look(requirements);
  if (!looked) co_return looked.error();
  const Discovered& found = directory_.found();
  asked_ = directory_.scopes(requirements);
  Form form;
  form.add("grant_type", "client_credentials")
      .add("scope", join_scopes(asked_))
      .add("resource", found.resource);
  const Plan& plan = directory_.plan();
  auto answer = co_await request_token(*plan.fetcher, found.server, plan.client, std::move(form));
  if (!answer) directory_.forget();  // The discovered server may have been wrong.
  co_return answer;
}

}  // namespace patchbay::oauth
