#include "net/http/syntax/url.h"

#include <gtest/gtest.h>

namespace patchbay::net {
namespace {

std::string why_not(std::string_view text) {
  auto url = parse_url(text);
  return url ? "taken" : url.error().message;
}

TEST(Url, TakesItsPartsAndFillsInWhatIsLeftOut) {
  auto plain = parse_url("http://Example.COM");
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->tls);
  EXPECT_EQ(plain->host, "example.com");
  EXPECT_EQ(plain->port, 80);
  EXPECT_EQ(plain->path, "/");

  auto secure = parse_url("HTTPS://a-b.c_d:8443/mcp/x?key=v&q=http://e/");
  ASSERT_TRUE(secure);
  EXPECT_TRUE(secure->tls);
  EXPECT_EQ(secure->port, 8443);
  EXPECT_EQ(secure->path, "/mcp/x?key=v&q=http://e/");
  EXPECT_EQ(parse_url("https://a")->port, 443);
  EXPECT_EQ(parse_url("http://a?x=1")->path, "/?x=1");
}

TEST(Url, WritesAuthorityAndOrigin) {
  EXPECT_EQ(parse_url("http://a:80/x")->authority(), "a");
  EXPECT_EQ(parse_url("http://a:443/x")->authority(), "a:443");
  EXPECT_EQ(parse_url("https://a:443/x")->authority(), "a");
  EXPECT_EQ(parse_url("https://A/x")->origin(), "https://a:443");
  auto v6 = parse_url("http://[::1]:81/x?y");
  ASSERT_TRUE(v6);
  EXPECT_EQ(v6->host, "::1");
  EXPECT_EQ(v6->authority(), "[::1]:81");
  EXPECT_EQ(v6->origin(), "http://[::1]:81");
  EXPECT_EQ(v6->text(), "http://[::1]:81/x?y");
  EXPECT_EQ(parse_url("http://[::1]")->authority(), "[::1]");
}

TEST(Url, RefusesWithAReason) {
  const auto refused = [](std::string_view text, std::string_view why) {
    EXPECT_NE(why_not(text).find(why), std::string::npos) << text << ": " << why_not(text);
  };
  refused("ftp://a/", "http:// or https://");
  refused("a/b", "http:// or https://");
  refused("", "http:// or https://");
  refused("http://", "no host");
  refused("http:///x", "no host");
  refused("http://u:p@a/", "user name or a password");
  refused("http://a/x#y", "fragment");
  refused("http://a/x y", "%20");
  refused("http://a/x\r\nHost: b", "control character");
  refused(std::string_view("http://a/\0b", 11), "control character");
  refused("http://a/\xC3\xA4", "percent-encoded");
  refused("http://a:0/", "port");
  refused("http://a:65536/", "port");
  refused("http://a:/", "port");
  refused("http://a:-1/", "port");
  refused("http://a:1x/", "port");
  refused("http://a:1:2/", "port");
  refused("http://[::1/", "bracket");
  refused("http://[nonsense]/", "IPv6");
  refused("http://[fe80::1%25eth0]/", "IPv6");
  refused("http://[::1]x/", "between host and port");
  refused("http://a\\b/", "no name has");
  refused("http://a%2Fb/", "no name has");
}

TEST(Url, KeepsAPasswordOutOfTheReason) {
  EXPECT_EQ(why_not("http://user:secret@host/").find("secret"), std::string::npos);
}

std::string resolved(std::string_view reference) {
  const auto base = parse_url("https://a:8443/b/c/d?q");
  auto url = resolve_reference(*base, reference);
  return url ? url->text() : "refused";
}

TEST(Url, ResolvesReferences) {
  EXPECT_EQ(resolved("http://x/y?z"), "http://x/y?z");
  EXPECT_EQ(resolved("//x:1/y"), "https://x:1/y");
  EXPECT_EQ(resolved("/message?session=1"), "https://a:8443/message?session=1");
  EXPECT_EQ(resolved("g"), "https://a:8443/b/c/g");
  EXPECT_EQ(resolved("./g/"), "https://a:8443/b/c/g/");
  EXPECT_EQ(resolved("../g?x=./y"), "https://a:8443/b/g?x=./y");
  EXPECT_EQ(resolved("../../../g"), "https://a:8443/g");
  EXPECT_EQ(resolved("."), "https://a:8443/b/c/");
  EXPECT_EQ(resolved(".."), "https://a:8443/b/");
  EXPECT_EQ(resolved("/a/./b/../c"), "https://a:8443/a/c");
  EXPECT_EQ(resolved("?y"), "https://a:8443/b/c/d?y");
  EXPECT_EQ(resolved(""), "https://a:8443/b/c/d?q");
  EXPECT_EQ(resolved("g:h"), "refused");
  EXPECT_EQ(resolved("g#s"), "refused");
  EXPECT_EQ(resolved("g h"), "refused");
}

TEST(Url, ReadsOtherSchemesWithTheirOwnDefaults) {
  const auto plain = parse_url("ws://gateway.example.com", kWsSchemes);
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->tls);
  EXPECT_EQ(plain->port, 8443);
  EXPECT_EQ(plain->path, "/mcp");
  EXPECT_EQ(plain->authority(), "gateway.example.com:8443");
  const auto secure = parse_url("WSS://[::1]:9/", kWsSchemes);
  ASSERT_TRUE(secure);
  EXPECT_TRUE(secure->tls);
  EXPECT_EQ(secure->port, 9);
  EXPECT_EQ(secure->path, "/");
  const auto other = parse_url("http://localhost", kWsSchemes);
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message.find("ws:// or wss://"), std::string::npos);
}

}  // namespace
}  // namespace patchbay::net
