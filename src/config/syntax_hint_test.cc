#include "config/syntax_hint.h"

#include <gtest/gtest.h>

#include "config/load.h"

namespace patchbay::config {
namespace {

std::string fault_of(std::string_view text, const std::string& name) {
  Faults faults;
  load_text(text, name, faults);
  return faults.empty() ? "none" : to_string(faults.front());
}

TEST(SyntaxHint, OfYaml) {
  const auto fault = [](std::string_view text) { return fault_of(text, "f.yaml"); };
  EXPECT_NE(fault("a:\n\tb: 1\n").find("f.yaml:2: "), std::string::npos);
  EXPECT_NE(fault("a:\n\tb: 1\n").find("a tab; YAML is indented with spaces"), std::string::npos);
  EXPECT_NE(fault("a: 1\n  b: 2\n").find("(column 4; a text with ': ' needs quotes, or the line "),
            std::string::npos)
      << fault("a: 1\n  b: 2\n");
  EXPECT_NE(fault("a:\n  - 1\n - 2\n").find("check the indentation"), std::string::npos);
  EXPECT_NE(fault("a: \"x\nb: 1\n").find("a quote is not closed"), std::string::npos);
  EXPECT_NE(fault("a: [1, 2\nb: 1\n").find("']' is missing"), std::string::npos);
  EXPECT_NE(fault("a: @x\n").find("needs quotes"), std::string::npos);
  EXPECT_NE(fault("a: \"\\d\"\n").find("double the backslash"), std::string::npos);
  EXPECT_NE(fault("a: \"C:\\x\"\n").find("double the backslash"), std::string::npos);
  EXPECT_NE(fault("\xFF\xFE").find("UTF-16; save it as UTF-8"), std::string::npos);
}

TEST(SyntaxHint, OfToml) {
  const auto fault = [](std::string_view text) { return fault_of(text, "f.toml"); };
  EXPECT_NE(fault("a = \"x\n").find("(column 7; a quote is not closed)"), std::string::npos)
      << fault("a = \"x\n");
  EXPECT_NE(fault("a = x\n").find("a text needs quotes)"), std::string::npos) << fault("a = x\n");
  EXPECT_NE(fault("[a\nb = 1\n").find("a ']' is missing)"), std::string::npos)
      << fault("[a\nb = 1\n");
  EXPECT_NE(fault("[a b]\nc = 1\n").find("needs quotes)"), std::string::npos)
      << fault("[a b]\nc = 1\n");
  EXPECT_NE(fault("a: 1\n").find("TOML has '='"), std::string::npos) << fault("a: 1\n");
  EXPECT_NE(fault("a = [1,\n").find("not closed)"), std::string::npos) << fault("a = [1,\n");
  EXPECT_NE(fault("a = \"C:\\q\"\n").find("double the backslash"), std::string::npos)
      << fault("a = \"C:\\q\"\n");
  EXPECT_NE(fault("a = 1\na = 2\n").find("given twice)"), std::string::npos);
}

TEST(SyntaxHint, OfJson) {
  const auto fault = [](std::string_view text) { return fault_of(text, "f.json"); };
  EXPECT_EQ(fault("{\n  \"a\": 1,,\n}"),
            "f.json:3: invalid JSON: a key is expected (column 1; a comma too many)");
  EXPECT_EQ(fault("{\"a\": [1,,]}"),
            "f.json:1: invalid JSON: a value is expected (column 11; a comma too many)");
  EXPECT_EQ(fault("{\n  # x\n}"),
            "f.json:2: invalid JSON: a key is expected (column 3; a comment begins with //)");
  EXPECT_EQ(fault("{\n  /* x\n}"),
            "f.json:2: invalid JSON: a key is expected (column 3; a comment is not closed)");
  EXPECT_EQ(fault("{'a': 1}"),
            "f.json:1: invalid JSON: a key is expected (column 2; JSON has only double quotes)");
  EXPECT_EQ(fault("{a: 1}"),
            "f.json:1: invalid JSON: a key is expected (column 2; a key needs double quotes)");
  EXPECT_EQ(fault("{\"a\": 1 \"b\": 2}"),
            "f.json:1: invalid JSON: a comma or the end of the object is expected (column 9; a "
            "comma is missing)");
  EXPECT_NE(fault("{\"a\": 1").find("not closed"), std::string::npos);
  EXPECT_NE(fault("{\"a\": \"x\n}").find("a quote is missing"), std::string::npos);
  EXPECT_NE(fault("{\"a\": True}").find("in small letters"), std::string::npos);
  EXPECT_NE(fault("{\"a\": text}").find("a text needs double quotes"), std::string::npos);
}

}  // namespace
}  // namespace patchbay::config
