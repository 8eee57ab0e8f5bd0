#include "oauth/challenge.h"

#include <gtest/gtest.h>

namespace patchbay::oauth {
namespace {

std::optional<Challenge> of(std::vector<std::string> values) { return bearer_challenge(values); }

TEST(ChallengeTest, ReadsTheChallengeOfAServer) {
  const auto found = of({R"(Bearer realm="a, \"b\"", error="invalid_token" ,)"
                         R"( scope="read write", resource_metadata="https://far.example/m?a=b")"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->error, "invalid_token");
  EXPECT_EQ(found->scopes, (Scopes{"read", "write"}));
  EXPECT_EQ(found->resource_metadata, "https://far.example/m?a=b");
}

TEST(ChallengeTest, MayBeEmpty) {
  for (const auto* const value : {"Bearer", "bearer", " , Bearer ,", "Bearer realm=x"}) {
    const auto found = of({value});
    ASSERT_TRUE(found) << value;
    EXPECT_FALSE(found->scopes);
    EXPECT_EQ(found->resource_metadata, "");
  }
}

TEST(ChallengeTest, IsFoundAmongOthers) {
  for (const auto& values : std::vector<std::vector<std::string>>{
           {R"(Basic realm="x", Bearer scope="a")"},
           {R"(Negotiate, Bearer scope="a")"},
           {R"(Negotiate YIIabc==, Bearer scope="a", Digest nonce="n")"},
           {R"(Basic realm="Bearer scope=\"b\"")", R"(Bearer scope="a")"},
           {"Basic realm=x,Bearer scope=a"},
       }) {
    const auto found = of(values);
    ASSERT_TRUE(found) << values.front();
    EXPECT_EQ(found->scopes, Scopes{"a"});
  }
}

TEST(ChallengeTest, AcceptsMissingQuotes) {
  const auto found = of({"Bearer resource_metadata=https://far.example/m, scope=mcp:basic"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->resource_metadata, "https://far.example/m");
  EXPECT_EQ(found->scopes, Scopes{"mcp:basic"});
}

TEST(ChallengeTest, AmbiguousChallengesAreIgnored) {
  for (const auto* const value :
       {R"(Bearer scope="a", scope="b")", R"(Bearer scope="a)", R"(Bearer scope="a\)",
        R"(Bearer scope="a" x)", "Bearer scope=", "Bearer =a", R"(Bearer"a")", "", ",,", "=",
        R"(Basic realm="x)"}) {
    EXPECT_FALSE(of({value})) << value;
  }
}

TEST(ScopesTest, AreDistinct) {
  EXPECT_EQ(split_scopes(" a  b a \"c\" d\\e f"), (Scopes{"a", "b", "f"}));
  EXPECT_EQ(split_scopes(""), Scopes());
  EXPECT_EQ(join_scopes({"a", "b"}), "a b");
  EXPECT_EQ(unite({"a", "b"}, {"b", "c"}), (Scopes{"a", "b", "c"}));
  EXPECT_TRUE(has_scopes({"a", "b"}, {"b"}));
  EXPECT_FALSE(has_scopes({"a", "b"}, {"b", "c"}));
}

TEST(ScopesTest, AreChosenInOrder) {
  const Scopes configured{"mine"};
  const Scopes challenged{"asked"};
  const Scopes supported{"all", "of", "them"};
  EXPECT_EQ(choose_scopes(configured, challenged, supported), configured);
  EXPECT_EQ(choose_scopes({}, challenged, supported), challenged);
  EXPECT_EQ(choose_scopes({}, std::nullopt, supported), supported);
  EXPECT_EQ(choose_scopes({}, std::nullopt, std::nullopt), Scopes());
}

}  // namespace
}  // namespace patchbay::oauth
