#include "oauth/sign_in.h"

#include <fmt/format.h>

#include "core/ids.h"
#include "oauth/pkce.h"
#include "oauth/token_answer.h"

namespace patchbay::oauth {
namespace {

Error refused(std::string why) { return {Code::forbidden, std::move(why)}; }

std::string member(const Returned& returned, const std::string& name) {
  const auto found = returned.find(name);
  return found == returned.end() ? "" : found->second;
}

}  // namespace

std::string begin(SignIn& sign_in) {
  sign_in.state = random_hex(32);
  sign_in.verifier = new_verifier();
  sign_in.browser = random_hex(16);
  Form query;
  query.add("response_type", "code")
      .add("client_id", sign_in.client.id)
      .add("redirect_uri", sign_in.redirect)
      .add("scope", join_scopes(sign_in.scopes))
      .add("state", sign_in.state)
      .add("code_challenge", challenge_of(sign_in.verifier))
      .add("code_challenge_method", "S256")
      .add("resource", sign_in.found.resource);
  // Without renewed consent some servers issue no refresh token.
  if (has_scope(sign_in.scopes, kOfflineAccess)) query.add("prompt", "consent");
  const std::string& endpoint = sign_in.found.server.authorization_endpoint;
  const bool has_query = endpoint.find('?') != std::string::npos;
  return fmt::format("{}{}{}", endpoint, has_query ? "&" : "?", query.text());
}

Result<std::string> code_of(const SignIn& sign_in, const Returned& returned) {
  const ServerMetadata& server = sign_in.found.server;
  const auto iss = returned.find("iss");
  // Compared byte by byte: a similar issuer may be another one.
  if (iss != returned.end() && iss->second != server.issuer) {
    return refused("the response is from another authorization server");
  }
  if (iss == returned.end() && server.sends_iss) {
    return refused("the response does not name its authorization server (iss)");
  }
  const std::string error = member(returned, "error");
  if (!error.empty()) {
    const std::string more = printable(member(returned, "error_description"));
    return refused(fmt::format("{} answered: {}{}{}", server.issuer, printable(error),
                               more.empty() ? "" : ": ", more));
  }
  std::string code = member(returned, "code");
  if (code.empty()) return refused("the response has no code");
  return code;
}

}  // namespace patchbay::oauth
