#include "sandbox/egress.h"

#include <gtest/gtest.h>

namespace patchbay::sandbox {
namespace {

EgressRules rules(const std::vector<std::string>& entries) {
  auto parsed = EgressRules::parse(entries);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  return parsed ? *std::move(parsed) : EgressRules();
}

bool lists(const EgressRules& some, std::string_view destination) {
  const auto parsed = parse_destination(destination);
  EXPECT_TRUE(parsed) << destination;
  return parsed && some.lists(*parsed);
}

TEST(EgressRules, NamesAndTheirPorts) {
  const auto some = rules({"pypi.org:443", "Files.Example.com", "*.cdn.example:8443"});
  EXPECT_TRUE(lists(some, "pypi.org:443"));
  EXPECT_TRUE(lists(some, "PyPI.org.:443"));
  EXPECT_FALSE(lists(some, "pypi.org:80"));
  EXPECT_TRUE(lists(some, "files.example.com:443"));
  EXPECT_TRUE(lists(some, "files.example.com:80"));
  EXPECT_FALSE(lists(some, "files.example.com:8080"));
  EXPECT_FALSE(lists(some, "more.files.example.com:443"));
  EXPECT_TRUE(lists(some, "a.cdn.example:8443"));
  EXPECT_TRUE(lists(some, "a.b.cdn.example:8443"));
  for (const auto* const other :
       {"cdn.example:8443", "evilcdn.example:8443", "a.cdn.example:443",
        "a.cdn.example.evil.test:8443", "pypi.org.evil.test:443", "xpypi.org:443"}) {
    EXPECT_FALSE(lists(some, other)) << other;
  }
}

TEST(EgressRules, AddressesAreListedByThemselves) {
  const auto some = rules({"127.0.0.1:8080", "[fd00::1]:443", "10.0.0.5", "db.internal:5432"});
  EXPECT_TRUE(lists(some, "127.0.0.1:8080"));
  EXPECT_TRUE(lists(some, "[::ffff:127.0.0.1]:8080"));
  EXPECT_TRUE(lists(some, "[fd00:0::1]:443"));
  EXPECT_TRUE(lists(some, "10.0.0.5:80"));
  EXPECT_FALSE(lists(some, "127.0.0.1:8081"));
  EXPECT_FALSE(lists(some, "127.0.0.2:8080"));
  EXPECT_FALSE(lists(some, "localhost:8080"));
  const auto address = [](const char* host, int port) {
    return net::numeric_addresses(host, port).front();
  };
  EXPECT_TRUE(some.lists(address("127.0.0.1", 8080)));
  EXPECT_FALSE(some.lists(address("127.0.0.1", 5432)));
  EXPECT_FALSE(some.lists(address("::1", 8080)));
}

TEST(EgressRules, WhatIsNoDestination) {
  for (const auto* const entry :
       {"", "*", "*.", "*:443", "http://a.example", "a.example/path", "a.example:0",
        "a.example:65536", "a.example:https", "a.example:", "u@a.example", "a b", "[::1", "::1",
        "*.127.0.0.1", "a.*.example", "a.example:443:443", "a.example?x"}) {
    EXPECT_FALSE(EgressRules::parse({entry})) << entry;
  }
  for (const auto* const text : {"", ":443", "a.example", "[::1]", "a.example:443/"}) {
    EXPECT_FALSE(parse_destination(text)) << text;
  }
}

TEST(EgressRules, ADestinationAsText) {
  EXPECT_EQ(parse_destination("A.example:443")->text(), "a.example:443");
  EXPECT_EQ(parse_destination("[::1]:80")->text(), "[::1]:80");
}

}  // namespace
}  // namespace patchbay::sandbox
