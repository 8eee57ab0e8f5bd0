#include "policy/auth/authenticator.h"

#include <gtest/gtest.h>

#include "core/base64.h"

namespace patchbay::policy {
namespace {

using Kind = Evidence::Kind;
using net::TlsName;

const std::string kToken = "a-token-of-some-length";

std::shared_ptr<const Authenticator> make(const AuthSettings& settings, AuthFiles files = {}) {
  auto made = Authenticator::make(settings, std::move(files), Digester(Digest{}), {});
  EXPECT_TRUE(made) << made.error().message;
  return made ? *made : nullptr;
}

std::string fault(const AuthSettings& settings) {
  auto made = Authenticator::make(settings, {}, Digester(Digest{}), {});
  return made ? "" : made.error().message;
}

net::PeerAddress from(unsigned char last) {
  net::PeerAddress address;
  address.ip = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, last};
  return address;
}

net::HttpFields fields(std::initializer_list<net::HttpField> all) {
  net::HttpFields made;
  for (const auto& one : all) made.add(one);
  return made;
}

net::TlsPeer certificate(TlsName::Kind kind, const std::string& name) {
  net::TlsPeer peer;
  peer.names = {{TlsName::Kind::dns, "first.example"}, {kind, name}};
  peer.fingerprint = "f1";
  return peer;
}

AuthSettings all_methods() {
  AuthSettings settings;
  settings.tokens.push_back({"ci", kToken, "", {"reader"}, {"all"}});
  settings.certificates.push_back({"uri:spiffe://example/agent", "agent", {"robot"}});
  settings.proxies.push_back({{"10.0.0.5"}, "", "X-User", "X-Roles", {"proxied"}});
  return settings;
}

TEST(Authenticator, ReadsAuthorizationStrictly) {
  const auto known = make(all_methods());
  const auto kind = [&](std::string_view value) {
    return known->evidence(fields({{"authorization", value}}), from(1), nullptr).kind;
  };
  EXPECT_EQ(kind("Bearer abc"), Kind::token);
  EXPECT_EQ(kind("bEARER abc"), Kind::token);
  EXPECT_EQ(kind("Basic YTpi"), Kind::basic);
  for (const auto* const value : {"", "Bearer", "Bearer ", "Bearer  a", "Bearer a b", "Digest a",
                                  "Bearer a,b", "Bearer \"a\"", " Bearer a", "Bearer\ta"}) {
    EXPECT_EQ(kind(value), Kind::malformed) << value;
  }
  EXPECT_EQ(kind("Bearer " + std::string(20'000, 'x')), Kind::malformed);
  const auto twice = fields({{"Authorization", "Bearer abc"}, {"authorization", "Bearer abc"}});
  EXPECT_EQ(known->evidence(twice, from(1), nullptr).kind, Kind::malformed);
  EXPECT_EQ(known->evidence(fields({}), from(1), nullptr).kind, Kind::none);
}

TEST(Authenticator, TriesMethodsInOrder) {
  const auto known = make(all_methods());
  const auto agent = certificate(TlsName::Kind::uri, "spiffe://example/agent");
  const auto both = fields({{"X-User", "ann"}, {"Authorization", "Bearer abc"}});
  EXPECT_EQ(known->evidence(both, from(5), &agent).kind, Kind::proxy);
  EXPECT_EQ(known->evidence(both, from(6), &agent).kind, Kind::token);
  EXPECT_EQ(known->evidence(fields({{"X-User", "ann"}}), from(6), &agent).kind, Kind::certificate);
  EXPECT_EQ(known->evidence(fields({{"X-User", "ann"}}), from(6), nullptr).kind, Kind::none);
  EXPECT_EQ(known->evidence(fields({{"X-User", ""}}), from(5), nullptr).kind, Kind::malformed);
}

TEST(Authenticator, KnowsTokens) {
  const auto known = make(all_methods());
  const Evidence good{Kind::token, kToken};
  const auto found = known->at_once(good, known->digest(good), nullptr);
  ASSERT_TRUE(found && found->caller);
  EXPECT_EQ(found->caller->id, "token:ci");
  EXPECT_EQ(found->caller->roles, std::vector<std::string>{"reader"});
  EXPECT_EQ(found->caller->scopes, std::vector<std::string>{"all"});
  const Evidence bad{Kind::token, "another-token-of-some-length"};
  const auto none = known->at_once(bad, known->digest(bad), nullptr);
  EXPECT_TRUE(none && !none->caller);
  // The same text by another method is another credential.
  const Evidence basic{Kind::basic, kToken};
  EXPECT_NE(known->digest(basic), known->digest(good));
}

TEST(Authenticator, MapsNamesOfCertificatesExactly) {
  const auto known = make(all_methods());
  const Evidence presented{Kind::certificate, "f1"};
  const auto agent = certificate(TlsName::Kind::uri, "spiffe://example/agent");
  const auto found = known->at_once(presented, known->digest(presented), &agent);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->caller->id, "certificate:agent");
  for (const auto& other : {certificate(TlsName::Kind::dns, "spiffe://example/agent"),
                            certificate(TlsName::Kind::uri, "spiffe://example/agent2"),
                            certificate(TlsName::Kind::uri, "spiffe://EXAMPLE/agent"),
                            certificate(TlsName::Kind::common_name, "agent")}) {
    EXPECT_FALSE(known->at_once(presented, known->digest(presented), &other));
  }
}

TEST(Authenticator, TakesTheCallerFromAProxy) {
  auto settings = all_methods();
  settings.proxies.push_back({{}, "dns:proxy.example", "X-Name", "", {}});
  const auto known = make(settings);
  const auto stated = fields({{"X-User", "ann"}, {"X-Roles", "reader, writer,,"}});
  const Evidence evidence = known->evidence(stated, from(5), nullptr);
  const auto found = known->at_once(evidence, known->digest(evidence), nullptr);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->caller->name, "ann");
  EXPECT_EQ(found->caller->roles, (std::vector<std::string>{"proxied", "reader", "writer"}));
  // Other roles are another credential.
  const auto more = fields({{"X-User", "ann"}, {"X-Roles", "admin"}});
  EXPECT_NE(known->digest(known->evidence(more, from(5), nullptr)), known->digest(evidence));
  const auto proxy = certificate(TlsName::Kind::dns, "proxy.example");
  const auto other = certificate(TlsName::Kind::dns, "other.example");
  const auto named = fields({{"X-Name", "bob"}});
  EXPECT_EQ(known->evidence(named, from(9), &proxy).kind, Kind::proxy);
  EXPECT_EQ(known->evidence(named, from(9), &other).kind, Kind::certificate);
  EXPECT_EQ(known->evidence(named, from(9), nullptr).kind, Kind::none);
}

TEST(Authenticator, ChecksHashedTokensAndWhenTheyEnd) {
  const NewToken one = make_token();
  const NewToken ended = make_token();
  AuthFiles files;
  files.tokens.add({*TokenHash::of(one.token), "ann", {}, {}, 0, {}});
  files.tokens.add({*TokenHash::of(ended.token), "bob", {}, {}, 0, 1000});
  AuthSettings settings;
  settings.token_file = "x";
  settings.tokens.push_back({"own", "", TokenHash::of("made elsewhere")->text(), {}, {}});
  const auto known = make(settings, std::move(files));
  EXPECT_EQ(known->check_token(one.token)->caller->name, "ann");
  EXPECT_EQ(known->check_token("made elsewhere")->caller->name, "own");
  EXPECT_FALSE(known->check_token(ended.token));
  EXPECT_FALSE(known->check_token(make_token().token));
  EXPECT_FALSE(known->check_token("made elsewherE"));
  EXPECT_FALSE(known->may_have_hash(make_token().token));
  EXPECT_TRUE(known->may_have_hash(one.token));
}

TEST(Authenticator, NamesTheSettingThatIsWrong) {
  AuthSettings settings;
  settings.tokens.push_back({"a", kToken, "", {}, {}});
  settings.tokens.push_back({"b", kToken, "", {}, {}});
  EXPECT_TRUE(fault(settings).starts_with("tokens[1]:")) << fault(settings);
  settings = {};
  settings.certificates.push_back({"agent", "agent", {}});
  EXPECT_TRUE(fault(settings).starts_with("certificates[0].san:")) << fault(settings);
  settings = {};
  settings.proxies.push_back({{"300.0.0.1"}, "", "X-User", "", {}});
  EXPECT_TRUE(fault(settings).starts_with("proxies[0]:")) << fault(settings);
}

}  // namespace
}  // namespace patchbay::policy
