#include "oauth/metadata.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "oauth/pkce.h"
#include "oauth/token_answer.h"

namespace patchbay::oauth {
namespace {

net::Url url(std::string_view text) { return *net::parse_url(text); }

TEST(MetadataTest, OfAResource) {
  const auto found = parse_resource_metadata(
      R"({"resource":"https://far.example/mcp","authorization_servers":["https://as.example",1],)"
      R"("scopes_supported":["a","no scope","b"]})");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->resource, "https://far.example/mcp");
  EXPECT_EQ(found->servers, std::vector<std::string>{"https://as.example"});
  EXPECT_EQ(found->scopes, (Scopes{"a", "b"}));
  for (const auto* const text :
       {"", "[]", "{", R"({"resource":"x"})", R"({"authorization_servers":["x"]})",
        R"({"resource":1,"authorization_servers":["x"]})",
        R"({"resource":"x","authorization_servers":[]})"}) {
    EXPECT_FALSE(parse_resource_metadata(text)) << text;
  }
}

TEST(MetadataTest, OfAServer) {
  const auto found = parse_server_metadata(
      R"({"issuer":"https://as.example","token_endpoint":"https://as.example/t",)"
      R"("authorization_endpoint":"https://as.example/a",)"
      R"("authorization_response_iss_parameter_supported":true,)"
      R"("client_id_metadata_document_supported":"true",)"
      R"("code_challenge_methods_supported":["plain","S256"]})");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->issuer, "https://as.example");
  EXPECT_EQ(found->authorization_endpoint, "https://as.example/a");
  EXPECT_TRUE(found->sends_iss);
  EXPECT_FALSE(found->takes_client_documents);
  EXPECT_EQ(found->challenges, (std::vector<std::string>{"plain", "S256"}));
  EXPECT_FALSE(parse_server_metadata(R"({"issuer":"x"})"));
  EXPECT_FALSE(parse_server_metadata(R"({"token_endpoint":"x"})"));
}

TEST(MetadataTest, NothingThatCouldEndALineIsTaken) {
  const std::string good = "https://as.example/x";
  const auto server = [](std::string_view name, std::string_view url) {
    std::string text = R"({"issuer":"https://as.example","token_endpoint":"https://as.example/t")";
    return text + fmt::format(R"(,"{}":"{}"}})", name, url);
  };
  for (const auto* name :
       {"authorization_endpoint", "registration_endpoint", "device_authorization_endpoint"}) {
    EXPECT_TRUE(parse_server_metadata(server(name, good))) << name;
    for (const auto* more :
         {R"(\r\nSet-Cookie: a=b)", R"(\n)", R"(\u0000)", R"(\u007f)", " ", "é"}) {
      EXPECT_FALSE(parse_server_metadata(server(name, good + more))) << name << more;
    }
    EXPECT_FALSE(parse_server_metadata(server(name, "javascript:alert(1)"))) << name;
  }
  const auto resource = [](std::string_view url, std::string_view issuer) {
    return fmt::format(R"({{"resource":"{}","authorization_servers":["{}"]}})", url, issuer);
  };
  EXPECT_TRUE(parse_resource_metadata(resource(good, good)));
  EXPECT_FALSE(parse_resource_metadata(resource(good + R"(\r\n)", good)));
  EXPECT_FALSE(parse_resource_metadata(resource(good, good + R"(\r\n)")));
}

TEST(MetadataTest, OfAResourceAreWithItsPathOrAtTheRoot) {
  using Urls = std::vector<std::string>;
  EXPECT_EQ(resource_metadata_urls(url("https://far.example/a/mcp?x=1")),
            (Urls{"https://far.example/.well-known/oauth-protected-resource/a/mcp",
                  "https://far.example/.well-known/oauth-protected-resource"}));
  EXPECT_EQ(resource_metadata_urls(url("http://127.0.0.1:81/")),
            (Urls{"http://127.0.0.1:81/.well-known/oauth-protected-resource"}));
}

TEST(MetadataTest, OfAServerAreInTheOrderOfTheText) {
  using Urls = std::vector<std::string>;
  EXPECT_EQ(*server_metadata_urls("https://as.example"),
            (Urls{"https://as.example/.well-known/oauth-authorization-server",
                  "https://as.example/.well-known/openid-configuration"}));
  EXPECT_EQ(*server_metadata_urls("https://as.example/t1"),
            (Urls{"https://as.example/.well-known/oauth-authorization-server/t1",
                  "https://as.example/.well-known/openid-configuration/t1",
                  "https://as.example/t1/.well-known/openid-configuration"}));
  for (const auto* const issuer : {"", "as.example", "ftp://as.example", "https://as.example?x",
                                   "https://as.example/#x", "https://a@as.example"}) {
    EXPECT_FALSE(server_metadata_urls(issuer)) << issuer;
  }
}

TEST(MetadataTest, AResourceCoversWhatIsBelowIt) {
  const auto server = url("https://far.example/a/mcp");
  for (const auto* const resource :
       {"https://far.example/a/mcp", "https://far.example/a/mcp/", "https://far.example/a",
        "https://far.example", "https://far.example/", "https://FAR.example:443/a/mcp"}) {
    EXPECT_TRUE(covers(resource, server)) << resource;
  }
  for (const auto* const resource :
       {"http://far.example/a/mcp", "https://far.example:8443/a/mcp", "https://far.example/a/mc",
        "https://far.example/a/mcp/x", "https://far.example.evil.example/a/mcp",
        "https://far.example/b", "https://far.example/a?x", "", "a"}) {
    EXPECT_FALSE(covers(resource, server)) << resource;
  }
  EXPECT_EQ(resource_of(server), "https://far.example/a/mcp");
  EXPECT_EQ(resource_of(url("https://far.example/?x=1")), "https://far.example");
}

TEST(MetadataTest, TheUsualEndpointsAreAtTheRoot) {
  const auto usual = usual_endpoints(url("https://far.example:8443/a/mcp"));
  EXPECT_EQ(usual.issuer, "https://far.example:8443");
  EXPECT_EQ(usual.token_endpoint, "https://far.example:8443/token");
}

TEST(TokenAnswerTest, HasATokenAndItsLifetime) {
  const auto found = parse_token_answer(
      R"({"access_token":"a.b","token_type":"bearer","expires_in":"60","refresh_token":"r",)"
      R"("scope":"x y"})");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->access, "a.b");
  EXPECT_EQ(found->refresh, "r");
  EXPECT_EQ(found->expires, std::chrono::seconds(60));
  EXPECT_EQ(found->scopes, (Scopes{"x", "y"}));
  EXPECT_FALSE(parse_token_answer(R"({"access_token":"a","token_type":"Bearer"})")->expires);
}

TEST(TokenAnswerTest, IsRefusedIfItCannotBeUsed) {
  for (const auto* const text :
       {"", "[]", "x", R"({"token_type":"Bearer"})", R"({"access_token":"","token_type":"Bearer"})",
        R"({"access_token":"a\nb","token_type":"Bearer"})",
        R"({"access_token":"a","token_type":"DPoP"})", R"({"access_token":"a"})",
        R"({"access_token":"a","token_type":"Bearer","expires_in":-1})",
        R"({"access_token":"a","token_type":"Bearer","expires_in":"soon"})"}) {
    EXPECT_FALSE(parse_token_answer(text)) << text;
  }
}

TEST(TokenAnswerTest, ARefusalIsOneSentence) {
  EXPECT_EQ(reason_of_refusal(400, R"({"error":"invalid_grant"})"), "invalid_grant");
  EXPECT_EQ(reason_of_refusal(400, R"({"error":"x","error_description":"a\nb"})"), "x: a b");
  EXPECT_EQ(reason_of_refusal(502, "<html>"), "HTTP status 502");
  EXPECT_EQ(code_of_refusal(R"({"error":"a b"})"), "");
}

// Appendix B of RFC 7636.
TEST(PkceTest, ChallengeOfTheText) {
  EXPECT_EQ(challenge_of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
}

TEST(PkceTest, VerifiersAreLongEnoughAndDiffer) {
  const std::string one = new_verifier();
  EXPECT_EQ(one.size(), 43U);
  EXPECT_NE(one, new_verifier());
}

}  // namespace
}  // namespace patchbay::oauth
