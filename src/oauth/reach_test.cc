#include "oauth/reach.h"

#include <gtest/gtest.h>

#include "net/io/resolver.h"

namespace patchbay::oauth {
namespace {

Reach reach(const std::string& ip) {
  const auto addresses = net::numeric_addresses(ip, 443);
  EXPECT_EQ(addresses.size(), 1U) << ip;
  return addresses.empty() ? Reach::nowhere : reach_of(addresses.front());
}

TEST(Reach, KnowsEverySpecialRange) {
  struct Case {
    const char* ip;
    Reach reach;
  };
  for (const auto& [ip, wanted] : {
           Case{"127.0.0.1", Reach::machine},
           Case{"127.255.255.254", Reach::machine},
           Case{"::1", Reach::machine},
           Case{"::ffff:127.0.0.1", Reach::machine},
           Case{"64:ff9b::127.0.0.1", Reach::machine},
           Case{"10.1.2.3", Reach::network},
           Case{"100.64.0.1", Reach::network},
           Case{"172.31.255.255", Reach::network},
           Case{"192.168.1.1", Reach::network},
           Case{"198.19.0.1", Reach::network},
           Case{"::ffff:10.1.2.3", Reach::network},
           Case{"64:ff9b::10.1.2.3", Reach::network},
           Case{"64:ff9b:1::1", Reach::network},
           Case{"fc00::1", Reach::network},
           Case{"fdff::1", Reach::network},
           Case{"0.0.0.0", Reach::nowhere},
           Case{"0.1.2.3", Reach::nowhere},
           Case{"100.100.100.200", Reach::nowhere},
           Case{"168.63.129.16", Reach::nowhere},
           Case{"169.254.169.254", Reach::nowhere},
           Case{"192.0.0.192", Reach::nowhere},
           Case{"192.0.2.1", Reach::nowhere},
           Case{"192.88.99.1", Reach::nowhere},
           Case{"198.51.100.1", Reach::nowhere},
           Case{"203.0.113.1", Reach::nowhere},
           Case{"224.0.0.1", Reach::nowhere},
           Case{"240.0.0.1", Reach::nowhere},
           Case{"255.255.255.255", Reach::nowhere},
           Case{"::", Reach::nowhere},
           Case{"::10.1.2.3", Reach::nowhere},
           Case{"::ffff:0:10.1.2.3", Reach::nowhere},
           Case{"::ffff:169.254.169.254", Reach::nowhere},
           Case{"64:ff9b::169.254.169.254", Reach::nowhere},
           Case{"100::1", Reach::nowhere},
           Case{"100:0:0:1::1", Reach::nowhere},
           Case{"2001::1", Reach::nowhere},
           Case{"2001:20::1", Reach::nowhere},
           Case{"2001:db8::1", Reach::nowhere},
           Case{"2002:a01:203::1", Reach::nowhere},
           Case{"3fff::1", Reach::nowhere},
           Case{"5f00::1", Reach::nowhere},
           Case{"fd00:ec2::254", Reach::nowhere},
           Case{"fe80::1", Reach::nowhere},
           Case{"fec0::1", Reach::nowhere},
           Case{"ff02::1", Reach::nowhere},
           Case{"8.8.8.8", Reach::world},
           Case{"::ffff:8.8.8.8", Reach::world},
           Case{"64:ff9b::8.8.8.8", Reach::world},
           Case{"2606:4700::1111", Reach::world},
       }) {
    EXPECT_EQ(reach(ip), wanted) << ip;
  }
}

}  // namespace
}  // namespace patchbay::oauth
