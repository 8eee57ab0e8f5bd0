#include "app/endpoint.h"

#include <gtest/gtest.h>

namespace patchbay::app {
namespace {

// The entry as one text, or the fault.
std::string described_endpoint(std::string_view endpoint) {
  const auto entry = read_endpoint(endpoint);
  if (!entry) return "fault: " + entry.error().message;
  std::string text;
  for (const auto& [key, line, value] : entry->members) {
    text += key + "=" + value.text;
    for (const auto& item : value.items) text += "[" + item.text + "]";
    text += ' ';
  }
  return text;
}

TEST(Endpoint, EverySchemeHasItsKind) {
  EXPECT_EQ(described_endpoint("stdio://python calc_server.py"),
            "kind=stdio command=python args=[calc_server.py] ");
  EXPECT_EQ(described_endpoint("stdio://'my server' -c \"a b\""),
            "kind=stdio command=my server args=[-c][a b] ");
  EXPECT_EQ(described_endpoint("stdio:///usr/bin/server"),
            "kind=stdio command=/usr/bin/server args= ");
  EXPECT_EQ(described_endpoint("http://localhost:3000"), "kind=http url=http://localhost:3000 ");
  EXPECT_EQ(described_endpoint("https://host/mcp?x=1"), "kind=http url=https://host/mcp?x=1 ");
  EXPECT_EQ(described_endpoint("sse://host/path"), "kind=sse url=http://host/path ");
  EXPECT_EQ(described_endpoint("sses://host/path"), "kind=sse url=https://host/path ");
  EXPECT_EQ(described_endpoint("custom-http-sse://host:1/base"),
            "kind=custom-http-sse url=http://host:1/base ");
  EXPECT_EQ(described_endpoint("custom-https-sse://host"),
            "kind=custom-http-sse url=https://host ");
  EXPECT_EQ(described_endpoint("tcp://[::1]:7000"), "kind=tcp address=[::1]:7000 ");
  EXPECT_EQ(described_endpoint("unix:///run/x.sock"), "kind=unix path=/run/x.sock ");
}

TEST(Endpoint, RefusesOtherTextAndNamesTheSchemes) {
  for (const auto* const text : {"", "5", "python calc.py", "ftp://host", "HTTP://host", "://x"}) {
    EXPECT_EQ(described_endpoint(text),
              "fault: an endpoint begins with one of: " + endpoint_schemes())
        << text;
  }
  EXPECT_EQ(endpoint_schemes(),
            "stdio:// http:// https:// sse:// sses:// custom-http-sse:// custom-https-sse:// "
            "tcp:// tcps:// wire-tcp:// ws:// wss:// unix://");
  for (const auto* const text :
       {"stdio://", "stdio:// ", "stdio://it's", "http://", "http:///path", "tcp://", "tcp://host",
        "tcp://host:", "tcp://:1", "unix://", "unix:///", "unix://relative"}) {
    EXPECT_TRUE(described_endpoint(text).starts_with("fault: ")) << text;
  }
}

}  // namespace
}  // namespace patchbay::app
