#include <gtest/gtest.h>

#include "app/properties_file.h"

namespace patchbay::app {
namespace {

std::string parsed(std::string_view text) {
  std::string out;
  for (const auto& [name, value, line] : parse_properties(text)) {
    out += std::to_string(line) + " " + name + "=" + value + "|";
  }
  return out;
}

TEST(PropertiesFile, KnowsItsForms) {
  EXPECT_EQ(parsed("a=1\nb : 2\n  c 3\r\nd\ne=\n"), "1 a=1|2 b=2|3 c=3|4 d=|5 e=|");
  EXPECT_EQ(parsed("# no\n! no\n\na = b = c  "), "4 a=b = c  |");
  EXPECT_EQ(parsed("list=a,\\\n   b,\\\n  c\nx=1"), "1 list=a,b,c|4 x=1|");
  EXPECT_EQ(parsed("path=C:\\\\dir\\tx\\u00e9\\q"), "1 path=C:\\dir\txéq|");
  EXPECT_EQ(parsed("a\\=b\\ c=1"), "1 a=b c=1|");
  EXPECT_EQ(parsed("end=\\"), "1 end=|");
  EXPECT_EQ(parsed(""), "");
}

}  // namespace
}  // namespace patchbay::app
