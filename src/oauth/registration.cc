#include "oauth/registration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "json/read.h"
#include "json/write.h"
#include "oauth/token_answer.h"

namespace patchbay::oauth {
namespace {

struct NamedMethod {
  std::string_view name;
  ClientAuth auth;
};

// The safest first.
constexpr std::array kMethods{
    NamedMethod{"client_secret_basic", ClientAuth::client_secret_basic},
    NamedMethod{"client_secret_post", ClientAuth::client_secret_post},
    NamedMethod{"none", ClientAuth::none},
};

std::string_view preferred_method(const ServerMetadata& server) {
  for (const auto& method : kMethods) {
    const auto& taken = server.client_auth;
    if (taken.empty() || std::ranges::find(taken, method.name) != taken.end()) return method.name;
  }
  return kMethods.back().name;
}

ClientAuth method_called(std::string_view name) {
  const auto* const found = std::ranges::find(kMethods, name, &NamedMethod::name);
  return found == kMethods.end() ? ClientAuth::any : found->auth;
}

std::string_view name_of(ClientAuth auth) {
  const auto* const found = std::ranges::find(kMethods, auth, &NamedMethod::auth);
  return found == kMethods.end() ? "" : found->name;
}

// `id` may be empty: the server assigns one.
std::string metadata(std::string_view id, const ClientRequest& request, std::string_view method) {
  const bool native = request.redirect.starts_with("http://");
  std::string text;
  json::Object object(text);
  if (!id.empty()) object.raw("client_id", json::quote(id));
  object.raw("client_name", json::quote(request.name));
  object.raw("redirect_uris", fmt::format("[{}]", json::quote(request.redirect)));
  object.raw("grant_types", R"(["authorization_code","refresh_token"])");
  object.raw("response_types", R"(["code"])");
  object.raw("token_endpoint_auth_method", json::quote(method));
  object.raw("application_type", native ? "\"native\"" : "\"web\"");
  object.end();
  return text;
}

}  // namespace

std::string client_document(const std::string& id, const ClientRequest& request) {
  return metadata(id, request, "none");
}

Task<Registered> register_client(const Fetcher& fetcher, const ServerMetadata& server,
                                 ClientRequest request) {
  std::string body = metadata("", request, preferred_method(server));
  auto fetched = co_await fetcher.post(server.registration_endpoint,
                                       "Content-Type: application/json\r\n", std::move(body));
  if (!fetched) co_return fetched.error();
  if (fetched->good()) co_return parse_registration(fetched->body, std::move(request.redirect));
  co_return Error{
      Code::upstream_failed,
      fmt::format("{} refuses to register this gateway: {}", server.registration_endpoint,
                  reason_of_refusal(fetched->status, fetched->body))};
}

Result<Registered> parse_registration(std::string_view body, std::string redirect) {
  auto valid = json::check(body);
  if (!valid || json::type_of(body) != json::Type::object) {
    return Error{Code::upstream_failed, "the answer to a registration is not a JSON object"};
  }
  Registered made;
  made.client.id = json::string_member(body, "client_id").value_or("");
  if (made.client.id.empty()) {
    return Error{Code::upstream_failed, "the answer to a registration has no `client_id`"};
  }
  made.client.secret = json::string_member(body, "client_secret").value_or("");
  made.client.auth =
      method_called(json::string_member(body, "token_endpoint_auth_method").value_or(""));
  // Without a secret there is no client authentication.
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
