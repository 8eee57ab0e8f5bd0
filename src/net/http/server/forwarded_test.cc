#include "net/http/server/forwarded.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace patchbay::net {
namespace {

TrustedProxies proxies(ForwardedHeader header) {
  TrustedProxies made;
  for (const auto* const range : {"10.0.0.0/8", "::1"}) {
    made.from.push_back(*AddressRange::parse(range));
  }
  made.header = header;
  return made;
}

std::string client(ForwardedHeader header, std::string_view from,
                   std::initializer_list<HttpField> fields) {
  HttpFields all;
  for (const auto& field : fields) all.add(field);
  return forwarded_client(all, *forwarded_address(from), proxies(header)).ip_text();
}

std::string plain(std::string_view value, std::string_view from = "10.0.0.1") {
  return client(ForwardedHeader::x_forwarded_for, from, {{"x-forwarded-for", value}});
}

std::string forwarded(std::string_view value) {
  return client(ForwardedHeader::forwarded, "10.0.0.1", {{"Forwarded", value}});
}

TEST(Forwarded, TheClientIsTheLastHopThatIsNoProxy) {
  EXPECT_EQ(plain("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(plain("1.1.1.1, 192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(plain("1.1.1.1, 192.0.2.1 ,10.9.9.9,\t::1"), "192.0.2.1");
  EXPECT_EQ(plain("2001:db8::5"), "2001:db8::5");
  EXPECT_EQ(plain("[2001:db8::5]:443"), "2001:db8::5");
  EXPECT_EQ(plain("192.0.2.1:5000"), "192.0.2.1");
  EXPECT_EQ(plain("10.0.0.7"), "10.0.0.7");  // A proxy that is a client itself.
}

TEST(Forwarded, LinesOfTheSameHeaderAreOneList) {
  EXPECT_EQ(client(ForwardedHeader::x_forwarded_for, "10.0.0.1",
                   {{"X-Forwarded-For", "1.1.1.1"}, {"X-Forwarded-For", "192.0.2.1"}}),
            "192.0.2.1");
}

TEST(Forwarded, WhatAnotherAddressStatesIsIgnored) {
  EXPECT_EQ(plain("192.0.2.1", "203.0.113.9"), "203.0.113.9");
}

TEST(Forwarded, WhatIsMalformedIsIgnored) {
  for (const auto* const value :
       {"", ",", "unknown", "192.0.2.1,", "192.0.2.1, x", "192.0.2.1:", "192.0.2.1:70000",
        "[192.0.2.1]", "[::1", "localhost", "192.0.2", "192.0.2.1 10.0.0.1"}) {
    EXPECT_EQ(plain(value), "10.0.0.1") << value;
  }
  // Left of the client it does not matter: the client may have written it.
  EXPECT_EQ(plain("nonsense, 192.0.2.1"), "192.0.2.1");
}

TEST(Forwarded, OnlyTheConfiguredHeaderIsRead) {
  EXPECT_EQ(client(ForwardedHeader::x_forwarded_for, "10.0.0.1", {{"Forwarded", "for=1.1.1.1"}}),
            "10.0.0.1");
  EXPECT_EQ(client(ForwardedHeader::forwarded, "10.0.0.1", {{"X-Forwarded-For", "1.1.1.1"}}),
            "10.0.0.1");
  EXPECT_EQ(client(ForwardedHeader::none, "10.0.0.1", {{"X-Forwarded-For", "1.1.1.1"}}),
            "10.0.0.1");
}

TEST(Forwarded, ReadsElementsOfRfc7239) {
  EXPECT_EQ(forwarded("for=192.0.2.43"), "192.0.2.43");
  EXPECT_EQ(forwarded("For=\"[2001:db8:cafe::17]:4711\""), "2001:db8:cafe::17");
  EXPECT_EQ(forwarded("for=1.1.1.1, proto=http; FOR=192.0.2.60;by=203.0.113.43"), "192.0.2.60");
  EXPECT_EQ(forwarded("for=1.1.1.1;ext=\"a,b;\\\",for=2.2.2.2\", for=10.2.2.2"), "1.1.1.1");
  EXPECT_EQ(forwarded("for=192.0.2.43, by=203.0.113.43"), "10.0.0.1");  // Hides its client.
  EXPECT_EQ(forwarded("for=_hidden"), "10.0.0.1");
  EXPECT_EQ(forwarded("for=\"192.0.2.43"), "10.0.0.1");
}

}  // namespace
}  // namespace patchbay::net
