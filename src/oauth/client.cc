#include "oauth/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/base64.h"
#include "core/ids.h"
#include "json/text.h"
#include "net/http/syntax/percent.h"

namespace patchbay::oauth {
namespace {

constexpr std::string_view kClientAssertionType =
    "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
constexpr std::int64_t kAssertionSeconds = 120;

Result<std::string> assertion(const Client& client, const ServerMetadata& server) {
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  const std::string id = json::quote(client.id);
  const std::string claims =
      fmt::format(R"({{"iss":{},"sub":{},"aud":{},"jti":"{}","iat":{},"exp":{}}})", id, id,
                  json::quote(server.issuer), random_hex(16), now, now + kAssertionSeconds);
  return client.signer->sign(claims, client.key_id);
}

}  // namespace

Form& Form::add(std::string_view name, std::string_view value) {
  if (value.empty()) return *this;
  if (!text_.empty()) text_ += '&';
  text_ += net::percent_encode(name) + "=" + net::percent_encode(value);
  return *this;
}

ClientAuth choose_auth(const Client& client, const std::vector<std::string>& taken) {
  if (client.auth != ClientAuth::any) return client.auth;
  const auto takes = [&](std::string_view method) {
    return std::ranges::find(taken, method) != taken.end();
  };
  if (client.signer) return ClientAuth::private_key_jwt;
  if (client.secret.empty()) return ClientAuth::none;
  // Every server must accept this by default.
  if (taken.empty() || takes("client_secret_basic")) return ClientAuth::client_secret_basic;
  if (takes("client_secret_post")) return ClientAuth::client_secret_post;
  return takes("none") ? ClientAuth::none : ClientAuth::client_secret_basic;
}

Result<std::string> prove(const Client& client, const ServerMetadata& server, Form& form) {
  switch (choose_auth(client, server.client_auth)) {
    case ClientAuth::any:
    case ClientAuth::none:
      form.add("client_id", client.id);
      return std::string();
    case ClientAuth::client_secret_post:
      form.add("client_id", client.id).add("client_secret", client.secret);
      return std::string();
    case ClientAuth::client_secret_basic:
      return fmt::format(
          "Authorization: Basic {}\r\n",
          base64_encode(net::percent_encode(client.id) + ":" + net::percent_encode(client.secret)));
    case ClientAuth::private_key_jwt:
      break;
  }
  auto signed_claims = assertion(client, server);
  if (!signed_claims) return signed_claims.error();
  form.add("client_id", client.id)
      .add("client_assertion_type", kClientAssertionType)
      .add("client_assertion", *signed_claims);
  return std::string();
}

}  // namespace patchbay::oauth
