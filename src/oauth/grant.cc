#include "oauth/grant.h"

#include <algorithm>

#include "json/read.h"
#include "json/write.h"
#include "oauth/registration.h"

namespace patchbay::oauth {
namespace {

std::int64_t seconds_of(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

}  // namespace

void take(Grant& grant, const TokenAnswer& answer, std::chrono::system_clock::time_point now) {
  grant.access = answer.access;
  if (!answer.refresh.empty()) grant.refresh = answer.refresh;
  grant.expires = answer.expires ? seconds_of(now + *answer.expires) : 0;
}

std::optional<std::chrono::seconds> lifetime_of(const Grant& grant,
                                                std::chrono::system_clock::time_point now) {
  if (grant.expires == 0) return std::nullopt;
  return std::chrono::seconds(std::max<std::int64_t>(grant.expires - seconds_of(now), 0));
}

std::string to_text(const Grant& grant) {
  std::string text;
  json::Object object(text);
  object.raw("issuer", json::quote(grant.issuer));
  object.raw("endpoint", json::quote(grant.endpoint));
  object.raw("resource", json::quote(grant.resource));
  object.raw("scope", json::quote(join_scopes(grant.scopes)));
  object.raw("client", to_text(Registered{grant.client, "", 0}));
  object.raw("access", json::quote(grant.access));
  object.raw("refresh", json::quote(grant.refresh));
  object.raw("expires", std::to_string(grant.expires));
  object.end();
  return text;
}

Result<Grant> grant_from(std::string_view text) {
  auto valid = json::check(text);
  if (!valid) return valid.error();
  auto client = registered_from(json::member(text, "client").value_or("{}"));
  if (!client) return client.error();
  Grant grant;
  const auto member = [&](std::string_view key) {
    return json::string_member(text, key).value_or("");
  };
  grant.issuer = member("issuer");
  grant.endpoint = member("endpoint");
  grant.resource = member("resource");
  grant.scopes = split_scopes(member("scope"));
  grant.client = std::move(client->client);
  grant.access = member("access");
  grant.refresh = member("refresh");
  grant.expires = json::as_int(json::member(text, "expires").value_or("0")).value_or(0);
  if (grant.access.empty()) return Error{Code::invalid_params, "there is no token in it"};
  return grant;
}

}  // namespace patchbay::oauth
