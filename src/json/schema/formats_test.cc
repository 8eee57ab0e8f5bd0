#include "json/schema/formats.h"

#include <gtest/gtest.h>

namespace patchbay::json {
namespace {

struct FormatCase {
  const char* format;
  const char* text;
  bool expected;
};

constexpr FormatCase kFormatCases[] = {
    {"date", "2028-02-29", true},
    {"date", "2026-02-29", false},
    {"date", "2026-2-1", false},
    {"time", "23:59:60Z", true},
    {"time", "22:59:60Z", false},
    {"time", "08:30:06.5+05:30", true},
    {"time", "08:30:06", false},
    {"date-time", "2026-11-15t10:00:00z", true},
    {"date-time", "2026-11-15 10:00:00Z", false},
    {"duration", "P1Y2M3DT4H5M6S", true},
    {"duration", "P2W", true},
    {"duration", "P1Y2D", false},
    {"duration", "PT", false},
    {"hostname", "a-b.example", true},
    {"hostname", "-a.example", false},
    {"hostname", "a..b", false},
    {"ipv4", "127.0.0.1", true},
    {"ipv4", "127.0.0.01", false},
    {"ipv4", "127.0.0.1.2", false},
    {"ipv6", "::", true},
    {"ipv6", "1:2:3:4:5:6:7:8", true},
    {"ipv6", "1::8:127.0.0.1", true},
    {"ipv6", "1:2:3:4:5:6:7", false},
    {"ipv6", "1::2::3", false},
    {"ipv6", "fe80::1%eth0", false},
    {"email", "a.b@example.com", true},
    {"email", "\"a b\"@[IPv6:::1]", true},
    {"email", "a..b@example.com", false},
    {"email", "\xC3\xA9@example.com", false},
    {"idn-email", "\xC3\xA9@\xC3\xA9xample.com", true},
    {"uri", "http://user@host:80/p?q#f", true},
    {"uri", "//host", false},
    {"uri", "http://a b", false},
    {"uri", "http://[::1]/", true},
    {"uri", "http://h/%zz", false},
    {"uri-reference", "../a?b", true},
    {"uri-reference", "1a:b", false},
    {"iri", "http://\xC3\xA9/", true},
    {"iri-reference", "#\xC3\xA9", true},
    {"uri-template", "http://h/{a,b*}{?c:3}", true},
    {"uri-template", "http://h/{a", false},
    {"uri-template", "a}", false},
    {"uuid", "2eb8aa08-AA98-11ea-b4aa-73b441d16380", true},
    {"uuid", "2eb8aa08aa98-11ea-b4aa73b441d16380-", false},
    {"json-pointer", "/a~0b~1c/0", true},
    {"json-pointer", "/a~2", false},
    {"json-pointer", "a", false},
    {"relative-json-pointer", "2/a", true},
    {"relative-json-pointer", "0#", true},
    {"relative-json-pointer", "01/a", false},
    {"regex", "^(?=a)b$", true},
    {"regex", "(a", false},
};

TEST(Formats, AcceptValidAndRefuseInvalidText) {
  for (const FormatCase& one : kFormatCases) {
    const auto format = find_format(one.format);
    ASSERT_TRUE(format) << one.format;
    EXPECT_EQ(has_format(*format, one.text), one.expected) << one.format << ": " << one.text;
  }
  EXPECT_EQ(find_format("idn-hostname"), std::nullopt);
}

}  // namespace
}  // namespace patchbay::json
