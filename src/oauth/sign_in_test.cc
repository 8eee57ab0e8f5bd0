#include "oauth/sign_in.h"

#include <gtest/gtest.h>

#include "oauth/grant.h"
#include "oauth/pkce.h"
#include "oauth/registration.h"

namespace patchbay::oauth {
namespace {

SignIn sign_in() {
  SignIn made;
  made.upstream = "far";
  made.client.id = "id &1";
  made.redirect = "http://127.0.0.1:1/oauth/callback/far";
  made.scopes = {"a", "b"};
  made.found.resource = "https://far.example/mcp";
  made.found.server.issuer = "https://as.example";
  made.found.server.authorization_endpoint = "https://as.example/authorize?tenant=1";
  made.found.server.sends_iss = true;
  return made;
}

TEST(SignInTest, SendsStateAndNonce) {
  SignIn made = sign_in();
  const std::string url = begin(made);
  EXPECT_TRUE(
      url.starts_with("https://as.example/authorize?tenant=1&response_type=code"
                      "&client_id=id%20%261&redirect_uri=http%3A%2F%2F127.0.0.1%3A1"));
  EXPECT_NE(url.find("&scope=a%20b&state=" + made.state + "&code_challenge=" +
                     challenge_of(made.verifier) + "&code_challenge_method=S256"),
            std::string::npos);
  EXPECT_NE(url.find("&resource=https%3A%2F%2Ffar.example%2Fmcp"), std::string::npos);
  EXPECT_EQ(url.find(made.verifier), std::string::npos);
  EXPECT_EQ(url.find(made.browser), std::string::npos);
  SignIn other = sign_in();
  begin(other);
  EXPECT_NE(made.state, other.state);
}

TEST(SignInTest, TakesTheCodeOfTheRightIssuer) {
  const Returned right{{"code", "c"}, {"iss", "https://as.example"}, {"state", "s"}};
  EXPECT_EQ(*code_of(sign_in(), right), "c");
  for (const auto* const iss : {"", "https://as.example/", "https://AS.example",
                                "https://as.example:443", "https://evil.example"}) {
    Returned wrong = right;
    wrong["iss"] = iss;
    EXPECT_FALSE(code_of(sign_in(), wrong)) << iss;
    SignIn silent = sign_in();
    silent.found.server.sends_iss = false;
    EXPECT_FALSE(code_of(silent, wrong)) << iss;
  }
}

TEST(SignInTest, AnIssuerMayOmitIss) {
  const Returned without{{"code", "c"}};
  EXPECT_FALSE(code_of(sign_in(), without));
  SignIn silent = sign_in();
  silent.found.server.sends_iss = false;
  EXPECT_EQ(*code_of(silent, without), "c");
}

TEST(SignInTest, ARefusalIsLookedAtAfterTheIssuer) {
  const Returned refused{{"error", "access_denied"}, {"iss", "https://evil.example"}};
  EXPECT_EQ(code_of(sign_in(), refused).error().message.find("access_denied"), std::string::npos);
  const Returned honest{{"error", "access_denied"}, {"iss", "https://as.example"}};
  EXPECT_NE(code_of(sign_in(), honest).error().message.find("access_denied"), std::string::npos);
  EXPECT_FALSE(code_of(sign_in(), {{"iss", "https://as.example"}}));
}

TEST(RegistrationTest, IsReadAndStored) {
  auto made = parse_registration(
      R"({"client_id":"c","client_secret":"s","token_endpoint_auth_method":"client_secret_post",)"
      R"("client_secret_expires_at":7})",
      "http://here");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->client.auth, ClientAuth::client_secret_post);
  const auto again = registered_from(to_text(*made));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->client.secret, "s");
  EXPECT_EQ(again->redirect, "http://here");
  EXPECT_EQ(again->expires, 7);
  EXPECT_EQ(parse_registration(R"({"client_id":"c"})", "")->client.auth, ClientAuth::none);
  EXPECT_FALSE(parse_registration(R"({"client_secret":"s"})", ""));
  EXPECT_FALSE(parse_registration("[]", ""));
}

TEST(RegistrationTest, TheDocumentNamesItself) {
  const std::string text = client_document("https://here/client", {"Name", "https://here/back"});
  EXPECT_NE(text.find(R"("client_id":"https://here/client")"), std::string::npos);
  EXPECT_NE(text.find(R"("redirect_uris":["https://here/back"])"), std::string::npos);
  EXPECT_NE(text.find(R"("application_type":"web")"), std::string::npos);
}

TEST(GrantTest, IsReadAsItWasStored) {
  const auto now = std::chrono::system_clock::time_point(std::chrono::seconds(1000));
  Grant grant;
  grant.issuer = "https://as.example";
  grant.endpoint = "https://as.example/token";
  grant.scopes = {"a", "b"};
  grant.client.id = "c";
  TokenAnswer answer;
  answer.access = "first";
  answer.refresh = "r1";
  answer.expires = std::chrono::seconds(60);
  take(grant, answer, now);
  answer.access = "second";
  answer.refresh.clear();
  take(grant, answer, now);
  const auto again = grant_from(to_text(grant));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->access, "second");
  EXPECT_EQ(again->refresh, "r1");
  EXPECT_EQ(again->scopes, (Scopes{"a", "b"}));
  EXPECT_EQ(lifetime_of(*again, now), std::chrono::seconds(60));
  EXPECT_EQ(lifetime_of(*again, now + std::chrono::seconds(100)), std::chrono::seconds(0));
  EXPECT_FALSE(grant_from("{}"));
  EXPECT_FALSE(grant_from("rubbish"));
}

}  // namespace
}  // namespace patchbay::oauth
