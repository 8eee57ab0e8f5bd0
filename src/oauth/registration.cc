#include "oauth/registration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "json/read.h"
#include "json/write.h"
#include "oauth/token_answer.h"

namespace patchbay::oauth {
namespace {

struct Way {
  std::string_view name;
  ClientAuth auth;
};

// The safer first.
constexpr std::array kWays{
    Way{"client_secret_basic", ClientAuth::client_secret_basic},
    Way{"client_secret_post", ClientAuth::client_secret_post},
    Way{"none", ClientAuth::none},
};

std::string_view wanted_way(const ServerMetadata& server) {
  for (const auto& way : kWays) {
    const auto& taken = server.client_auth;
    if (taken.empty() || std::ranges::find(taken, way.name) != taken.end()) return way.name;
  }
  return kWays.back().name;
}

ClientAuth way_called(std::string_view name) {
  const auto* const found = std::ranges::find(kWays, name, &Way::name);
  return found == kWays.end() ? ClientAuth::any : found->auth;
}

std::string_view name_of(ClientAuth auth) {
  const auto* const found = std::ranges::find(kWays, auth, &Way::auth);
  return found == kWays.end() ? "" : found->name;
}

// `id` may be empty: the server gives one.
std::string metadata(std::string_view id, const ClientRequest& wish, std::string_view way) {
  const bool native = wish.redirect.starts_with("http://");
  std::string text;
  json::Object object(text);
  if (!id.empty()) object.raw("client_id", json::quote(id));
  object.raw("client_name", json::quote(wish.name));
  object.raw("redirect_uris", fmt::format("[{}]", json::quote(wish.redirect)));
  object.raw("grant_types", R"(["authorization_code","refresh_token"])");
  object.raw("response_types", R"(["code"])");
  object.raw("token_endpoint_auth_method", json::quote(way));
  object.raw("application_type", native ? "\"native\"" : "\"web\"");
  object.end();
  return text;
}

}  // namespace

std::string client_document(const std::string& id, const ClientRequest& wish) {
  return metadata(id, wish, "none");
}

Task<Registered> register_client(const Fetcher& fetcher, const ServerMetadata& server,
                                 ClientRequest wish) {
  std::string body = metadata("", wish, wanted_way(server));
  auto fetched = co_await fetcher.post(server.registration_endpoint,
                                       "Content-Type: application/json\r\n", std::move(body));
  if (!fetched) co_return fetched.error();
  if (fetched->good()) co_return parse_registration(fetched->body, std::move(wish.redirect));
  co_return Error{Code::upstream_failed,
                  fmt::format("{} does not register us: {}", server.registration_endpoint,
                              reason_of_refusal(fetched->status, fetched->body))};
}

Result<Registered> parse_registration(std::string_view body, std::string redirect) {
  auto valid = json::check(body);
  if (!valid || json::type_of(body) != json::Type::object) {
    return Error{Code::upstream_failed, "the answer to a registration is no JSON object"};
  }
  Registered made;
  made.client.id = json::string_member(body, "client_id").value_or("");
  if (made.client.id.empty()) {
    return Error{Code::upstream_failed, "the answer to a registration has no `client_id`"};
  }
  made.client.secret = json::string_member(body, "client_secret").value_or("");
  made.client.auth =
      way_called(json::string_member(body, "token_endpoint_auth_method").value_or(""));
  // Without a secret there is nothing to prove it with.
  if (made.client.secret.empty()) made.client.auth = ClientAuth::none;
  made.redirect = std::move(redirect);
  made.expires =
      json::as_int(json::member(body, "client_secret_expires_at").value_or("0")).value_or(0);
  return made;
}

std::string to_text(const Registered& registered) {
  std::string text;
  json::Object object(text);
  object.raw("client_id", json::quote(registered.client.id));
  object.raw("client_secret", json::quote(registered.client.secret));
  object.raw("token_endpoint_auth_method", json::quote(name_of(registered.client.auth)));
  object.raw("client_secret_expires_at", std::to_string(registered.expires));
  object.raw("redirect", json::quote(registered.redirect));
  object.end();
  return text;
}

Result<Registered> registered_from(std::string_view text) {
  return parse_registration(text, json::string_member(text, "redirect").value_or(""));
}

}  // namespace patchbay::oauth
