#include "json/index.h"

#include <gtest/gtest.h>

#include "json/decimal.h"
#include "json/equal.h"
#include "json/uri.h"

namespace patchbay::json {
namespace {

TEST(Index, ReachesEveryValue) {
  const std::string_view text = R"( {"a": [1, {"b~/c": true}], "x\u0079": "q\n" } )";
  const auto index = Index::of(text, 100);
  ASSERT_TRUE(index);
  ASSERT_EQ(index->size(), 6U);
  EXPECT_EQ((*index)[0].count, 2U);
  EXPECT_EQ(index->raw(1), R"([1, {"b~/c": true}])");
  EXPECT_EQ(index->raw(4), "true");
  EXPECT_EQ(index->pointer(4), "/a/1/b~0~1c");
  EXPECT_EQ(index->pointer(0), "");
  const auto escaped = index->find(0, "xy");
  ASSERT_TRUE(escaped);
  EXPECT_EQ(index->key(*escaped), "xy");
  std::string scratch;
  EXPECT_EQ(index->text(*escaped, scratch), "q\n");
  EXPECT_EQ(index->child(1, "1"), 3U);
  EXPECT_EQ(index->child(1, "01"), std::nullopt);
  EXPECT_EQ(index->child(1, "2"), std::nullopt);
  EXPECT_EQ(index->find(1, "a"), std::nullopt);
}

TEST(Index, IsReadAnew) {
  Index index;
  ASSERT_TRUE(index.read(R"({"\u0061":[1,2,3]})", 100));
  EXPECT_EQ(index.size(), 5U);
  EXPECT_FALSE(index.read("[1,]", 100));
  ASSERT_TRUE(index.read(R"({"\u0062":1})", 100));
  EXPECT_EQ(index.size(), 2U);
  EXPECT_EQ(index.key(1), "b");
  EXPECT_EQ(index.raw(1), "1");
  index.forget_beyond(0);
  ASSERT_TRUE(index.read("7", 100));
  EXPECT_EQ(index.raw(0), "7");
}

TEST(Index, RefusesAKeyTwice) {
  EXPECT_EQ(Index::of(R"({"a":1,"b":{},"\u0061":2})", 100).error().message,
            R"(the key "a" appears twice)");
  std::string many = "{";
  for (int i = 0; i < 100; ++i) many += "\"k" + std::to_string(i) + "\":0,";
  EXPECT_TRUE(Index::of(many + "\"k\":0}", 1000));
  EXPECT_FALSE(Index::of(many + "\"k57\":0}", 1000));
}

TEST(Index, RefusesWhatIsNotJsonOrTooMuch) {
  EXPECT_EQ(Index::of("[1,]", 100).error().code, Code::parse_error);
  EXPECT_EQ(Index::of("[1] 2", 100).error().code, Code::parse_error);
  EXPECT_TRUE(Index::of("[1,2]", 3));
  EXPECT_EQ(Index::of("[1,2]", 2).error().code, Code::too_large);
}

TEST(Decimal, ComparesExactly) {
  const auto equal = [](std::string_view a, std::string_view b) {
    return Decimal(a) == Decimal(b);
  };
  EXPECT_TRUE(equal("1", "1.0"));
  EXPECT_TRUE(equal("100", "1e2"));
  EXPECT_TRUE(equal("-0", "0.000e99"));
  EXPECT_TRUE(equal("0.0012", "12E-4"));
  EXPECT_FALSE(equal("9007199254740992", "9007199254740993"));
  EXPECT_EQ(Decimal("1.0").hash(), Decimal("10e-1").hash());
  EXPECT_LT(Decimal("-2"), Decimal("-1.5"));
  EXPECT_LT(Decimal("-1e-400"), Decimal("0"));
  EXPECT_LT(Decimal("9.99"), Decimal("10"));
  EXPECT_GT(Decimal("1e99999999999999999999"), Decimal("1e400"));
  EXPECT_TRUE(Decimal("1.50e1").is_whole());
  EXPECT_FALSE(Decimal("1.5").is_whole());
  EXPECT_EQ(Decimal("2.0e1").count(), 20U);
  EXPECT_EQ(Decimal("1e30").count(), std::nullopt);
}

TEST(Decimal, DividesExactly) {
  const auto divides = [](std::string_view by, std::string_view value) {
    return Decimal(value).is_multiple_of(Decimal(by));
  };
  EXPECT_TRUE(divides("0.01", "19.99"));
  EXPECT_FALSE(divides("0.01", "19.995"));
  EXPECT_TRUE(divides("0.1", "0.3"));
  EXPECT_TRUE(divides("0.5", "1e308"));
  EXPECT_TRUE(divides("123456789", "1e99999999999") == false);
  EXPECT_TRUE(divides("7", "70000000000000000000000000000000000000000000000007"));
  EXPECT_FALSE(divides("7", "70000000000000000000000000000000000000000000000008"));
  EXPECT_TRUE(divides("1024", "1e10"));
  EXPECT_FALSE(divides("1024", "1e9"));
  EXPECT_FALSE(divides("10", "5"));
  EXPECT_TRUE(divides("3", "-9"));
  EXPECT_TRUE(divides("3", "0"));
}

TEST(Equal, ComparesAsJson) {
  const auto same = [](std::string_view a, std::string_view b) {
    const auto first = Index::of(a, 100);
    const auto second = Index::of(b, 100);
    Budget budget(1000);
    const bool out = equal(*first, 0, *second, 0, budget);
    if (out) EXPECT_EQ(hash_value(*first, 0, budget), hash_value(*second, 0, budget)) << a << b;
    return out;
  };
  EXPECT_TRUE(same(R"({"a":1,"b":[2,"x"]})", R"({"b":[2.0,"\u0078"],"a":1e0})"));
  EXPECT_FALSE(same(R"({"a":1,"b":2})", R"({"a":1,"c":2})"));
  EXPECT_FALSE(same("[1,2]", "[2,1]"));
  EXPECT_FALSE(same("0", "false"));
  EXPECT_FALSE(same(R"("a")", R"("b")"));
  EXPECT_TRUE(same("null", " null "));
}

TEST(Uri, ResolvesReferences) {
  // The examples of RFC 3986, section 5.4.
  constexpr std::pair<const char*, const char*> kCases[] = {
      {"g:h", "g:h"},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {"#s", "http://a/b/c/d;p?q"},
      {"g#s", "http://a/b/c/g"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../../g", "http://a/g"},
      {"../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"g;x=1/../y", "http://a/b/c/y"},
      {"g..", "http://a/b/c/g.."},
  };
  for (const auto& [reference, expected] : kCases) {
    EXPECT_EQ(resolve_uri("http://a/b/c/d;p?q", reference), expected) << reference;
  }
  EXPECT_EQ(resolve_uri("urn:uuid:1", "#x"), "urn:uuid:1");
  EXPECT_EQ(decode_percents("a%25%2f"), "a%/");
  EXPECT_EQ(decode_percents("a%2"), std::nullopt);
  EXPECT_EQ(decode_percents("%+1"), std::nullopt);
}

}  // namespace
}  // namespace patchbay::json
