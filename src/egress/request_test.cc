#include "egress/request.h"

#include <gtest/gtest.h>

#include "net/http/syntax/parse.h"

namespace patchbay::upstreams {
namespace {

int status_of(std::string_view head) {
  const auto request = parse_egress_request(head);
  return request ? 200 : net::parse_status(request.error());
}

TEST(EgressRequest, ATunnel) {
  const auto request = parse_egress_request("CONNECT A.example:443 HTTP/1.0\r\nX: y\r\n\r\n");
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->tunnel);
  EXPECT_EQ(request->destination.text(), "a.example:443");
  EXPECT_EQ(request->head, "");
}

TEST(EgressRequest, ARequestIsForwardedInOriginForm) {
  const auto request = parse_egress_request(
      "POST http://A.example:8080/p/../q?r=1 HTTP/1.1\r\nhost: other.example\r\nAccept: */*\r\n"
      "Proxy-Connection: keep-alive\r\nproxy-authorization: secret\r\nConnection: keep-alive\r\n"
      "Content-Length: 4\r\n\r\n");
  ASSERT_TRUE(request);
  EXPECT_FALSE(request->tunnel);
  EXPECT_EQ(request->destination.text(), "a.example:8080");
  EXPECT_EQ(request->head,
            "POST /p/../q?r=1 HTTP/1.1\r\nHost: a.example:8080\r\nConnection: close\r\n"
            "Accept: */*\r\nContent-Length: 4\r\n\r\n");
  const auto bare = parse_egress_request("GET http://a.example HTTP/1.0\r\n\r\n");
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->destination.port, 80);
  EXPECT_EQ(bare->head, "GET / HTTP/1.0\r\nHost: a.example\r\nConnection: close\r\n\r\n");
}

TEST(EgressRequest, WhatIsNone) {
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), 405);
  EXPECT_EQ(status_of("GET https://a.example/ HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET ftp://a.example/ HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET http://u:p@a.example/ HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET http://a.example/ x HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET http://a.example/ HTTP/1.1\r\nHost: a\r\nB\r\n\r\n"), 400);
  EXPECT_EQ(status_of("CONNECT a.example HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("CONNECT http://a.example:443 HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("CONNECT a.example:443 HTTP/2.0\r\n\r\n"), 505);
  EXPECT_EQ(status_of("\r\n\r\n"), 400);
}

TEST(EgressRequest, TheEndOfAHead) {
  EXPECT_EQ(egress_head_size("CONNECT a:1 HTTP/1.1\r\n"), 0u);
  EXPECT_EQ(egress_head_size("CONNECT a:1 HTTP/1.1\r\n\r\nmore"), 24u);
}

}  // namespace
}  // namespace patchbay::upstreams
