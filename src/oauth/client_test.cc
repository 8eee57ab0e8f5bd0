#include "oauth/client.h"

#include <gtest/gtest.h>

#include "oauth/fetcher.h"
#include "oauth/reach.h"

namespace patchbay::oauth {
namespace {

constexpr std::string_view kP256 =
    "-----BEGIN PRIVATE KEY-----\n"
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgCgGY7o+eZR8pRyUa\n"
    "UvDk35y0St+fV2TQcvG3R4uV54GhRANCAARO/0W4VsCUZeLAKCIR8tkUU92v3Goa\n"
    "T+8f2AAYJ8hW3+OQ/8A5pL/gJ0Qk+Ceg/iEsyHCdSaSYmrPxVy1cQ+tP\n"
    "-----END PRIVATE KEY-----\n";

Client client() { return {"id", "secret", ClientAuth::any, nullptr, ""}; }

TEST(ClientTest, ProvesItselfAsTheServerWantsIt) {
  EXPECT_EQ(choose_auth(client(), {}), ClientAuth::client_secret_basic);
  EXPECT_EQ(choose_auth(client(), {"client_secret_post"}), ClientAuth::client_secret_post);
  EXPECT_EQ(choose_auth(client(), {"client_secret_post", "client_secret_basic"}),
            ClientAuth::client_secret_basic);
  EXPECT_EQ(choose_auth(client(), {"none"}), ClientAuth::none);
  Client open = client();
  open.secret.clear();
  EXPECT_EQ(choose_auth(open, {"client_secret_basic"}), ClientAuth::none);
  Client stubborn = client();
  stubborn.auth = ClientAuth::client_secret_post;
  EXPECT_EQ(choose_auth(stubborn, {"client_secret_basic"}), ClientAuth::client_secret_post);
}

TEST(ClientTest, EncodesWhatItSends) {
  Client odd = client();
  odd.id = "a:b";
  odd.secret = "c d";
  Form form;
  auto fields = prove(odd, {}, form);
  ASSERT_TRUE(fields);
  EXPECT_EQ(*fields, "Authorization: Basic YSUzQWI6YyUyMGQ=\r\n");  // a%3Ab:c%20d
  EXPECT_EQ(form.text(), "");
  odd.auth = ClientAuth::client_secret_post;
  fields = prove(odd, {}, form.add("scope", "x y").add("empty", ""));
  EXPECT_EQ(*fields, "");
  EXPECT_EQ(form.text(), "scope=x%20y&client_id=a%3Ab&client_secret=c%20d");
}

TEST(SignerTest, TakesTheAlgorithmOfItsKey) {
  auto signer = policy::JwsSigner::read(kP256);
  ASSERT_TRUE(signer) << signer.error().message;
  EXPECT_EQ(signer->algorithm(), "ES256");
  auto token = signer->sign("{}", "k");
  ASSERT_TRUE(token);
  EXPECT_TRUE(token->starts_with("eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImsifQ.e30."));
  EXPECT_EQ(token->size() - token->rfind('.') - 1, 86U);  // Two numbers of 32 bytes.
}

TEST(SignerTest, RefusesWhatDoesNotFit) {
  EXPECT_FALSE(policy::JwsSigner::read(kP256, "RS256"));
  EXPECT_FALSE(policy::JwsSigner::read(kP256, "ES384"));
  EXPECT_FALSE(policy::JwsSigner::read(kP256, "HS256"));
  EXPECT_FALSE(policy::JwsSigner::read("rubbish"));
}

TEST(UrlTest, IsHttpsOrOnThisMachine) {
  const auto fault = [](std::string_view text, bool near) {
    return fault_of_path(*net::parse_url(text), near);
  };
  EXPECT_EQ(fault("https://as.example/", false), "");
  EXPECT_EQ(fault("http://127.0.0.1:1/", true), "");
  EXPECT_EQ(fault("http://localhost:1/", true), "");
  EXPECT_NE(fault("http://127.0.0.1:1/", false), "");
  EXPECT_NE(fault("http://as.example/", true), "");
  EXPECT_NE(fault("http://10.0.0.1/", true), "");
}

TEST(UrlTest, AddressesAreNearOrFar) {
  const auto reach = [](const std::string& host) {
    return reach_of(net::numeric_addresses(host, 443).front());
  };
  for (const auto* const host : {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_EQ(reach(host), Reach::machine) << host;
  }
  for (const auto* const host :
       {"10.1.2.3", "172.31.0.1", "192.168.1.1", "fd00::1", "100.64.0.1"}) {
    EXPECT_EQ(reach(host), Reach::network) << host;
  }
  for (const auto* const host : {"169.254.169.254", "::ffff:169.254.169.254", "fe80::1", "0.0.0.0",
                                 "::", "224.0.0.1", "ff02::1", "fd00:ec2::254", "2001:db8::1"}) {
    EXPECT_EQ(reach(host), Reach::nowhere) << host;
  }
  for (const auto* const host : {"8.8.8.8", "172.32.0.1", "2606:4700::1111"}) {
    EXPECT_EQ(reach(host), Reach::world) << host;
  }
}

}  // namespace
}  // namespace patchbay::oauth
