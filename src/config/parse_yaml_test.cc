// What libyaml does otherwise than YAML 1.2 says, and what keeps it from being slow. What a
// configuration may hold is tested in load_test.cc.
#include <gtest/gtest.h>

#include "config/parse.h"
#include "config/yaml_text.h"

namespace patchbay::config {
namespace {

std::string fault_of(std::string_view text) {
  Faults faults;
  parse_yaml(text, "f", faults);
  return faults.empty() ? "" : to_string(faults.front());
}

Node parse(std::string_view text) {
  Faults faults;
  Node node = parse_yaml(text, "f", faults);
  EXPECT_TRUE(faults.empty()) << to_string(faults.front());
  return node;
}

TEST(ParseYaml, NamesLineAndColumn) {
  EXPECT_EQ(fault_of("a: 1\n  b: 2\n"),
            "f:2: invalid YAML: mapping values are not allowed in this context (column 4; a text "
            "with ': ' needs quotes, or the line is indented too far)");
  EXPECT_EQ(fault_of("a:\n  b: 1\n  - 2\n"),
            "f:3: invalid YAML: did not find expected key (column 3, while parsing a block mapping "
            "that begins on line 2; check the indentation of this line, and quotes above it)");
  EXPECT_EQ(fault_of("a: 'x\n\nb"),
            "f:3: invalid YAML: found unexpected end of stream (column 2, while scanning a quoted "
            "scalar that begins on line 1; a quote is not closed)");
  EXPECT_EQ(fault_of("a: *b\n"), "f:1: invalid YAML: the anchor 'b' is not defined");
  EXPECT_EQ(fault_of("a: 1\nb: \x7F\n"),
            "f:2: invalid YAML: control characters are not allowed (U+007F)");
}

// In YAML 1.1 the text after one of these was on the next line, and could have been a key.
TEST(ParseYaml, TakesSeparatorsOfUnicodeForTextAsYaml12Does) {
  for (const std::string separator : {"\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"}) {
    const std::string text = "x" + separator + "b: 2";
    const Node root = parse("# " + text + "\na: '" + text + "'\nc" + separator + "d: |\n  " + text);
    ASSERT_EQ(root.members.size(), 2U);
    EXPECT_EQ(root.members[0].value.text, text);
    EXPECT_EQ(root.members[1].key, "c" + separator + "d");
    EXPECT_EQ(root.members[1].value.text, text);
    EXPECT_EQ(root.members[1].line, 3);
    // What stands for them while the text is read.
    EXPECT_EQ(fault_of("a: " + separator + "\nb: \xEF\xB7\x90"),
              "f:2: holds a noncharacter of Unicode");
  }
  EXPECT_EQ(parse("a: \xEF\xB7\x90").find("a")->text, "\xEF\xB7\x90");
}

TEST(ParseYaml, AnAliasIsTheLatestNodeOfThatName) {
  const Node root = parse("a: &x [&x 1, *x]\nb: *x\nc: &x 2\nd: *x\n");
  EXPECT_EQ(root.find("a")->items.at(1).text, "1");
  EXPECT_EQ(root.find("b")->text, "1");
  EXPECT_EQ(root.find("d")->text, "2");
}

TEST(ParseYaml, AnAliasFindsItsAnchorWhereverItStands) {
  const Node root =
      parse("- &l [1, &m {a: [2, &n [3]], b: *n}]\n- {k: *l, &key x: *key}\n- [[*m, *n]]\n- *n\n");
  EXPECT_EQ(root.items[0].items[1].find("b")->items[0].text, "3");
  EXPECT_EQ(root.items[1].find("k")->items[1].find("b")->items[0].text, "3");
  EXPECT_EQ(root.items[1].find("x")->text, "x");
  EXPECT_EQ(root.items[2].items[0].items[0].find("a")->items[0].text, "2");
  EXPECT_EQ(root.items[2].items[0].items[1].items[0].text, "3");
  EXPECT_EQ(root.items[3].items[0].text, "3");
  // What stands under a key at fault is gone, and with it what an alias would repeat.
  EXPECT_EQ(fault_of("<<: &a [1]\nb: *a\nc: {? &d [1] : 2, e: *d}\n"),
            "f:1: merge keys (<<) are not supported; write the keys out");
}

TEST(ParseYaml, ReadsNullOnlyWhenPlain) {
  const Node root = parse("a: ~\nb: '~'\nc: null\nd: !!str null\ne: ! null\nf: nULL\ng:\nh: ''\n");
  for (const auto* const key : {"a", "c", "g"}) EXPECT_EQ(root.find(key)->kind, Kind::null);
  for (const auto* const key : {"b", "d", "e", "f", "h"}) {
    EXPECT_EQ(root.find(key)->kind, Kind::scalar) << key;
  }
  EXPECT_TRUE(root.find("e")->quoted);
}

TEST(ParseYaml, RefusesWhatLibyamlIsSlowOn) {
  const std::string blanks(kMaxBlanks, ' ');
  EXPECT_EQ(parse("a: '" + blanks + "'").find("a")->text, blanks);
  EXPECT_EQ(fault_of("\na: '" + blanks + "\n'"),
            "f:2: has more than 4096 spaces and line ends in a row");
  std::string directives;
  for (int i = 0; i < kMaxTagDirectives; ++i) {
    directives += "%TAG !t" + std::to_string(i) + "! tag:yaml.org,2002:\n";
  }
  EXPECT_EQ(parse(directives + "---\n!t7!str 1\n").text, "1");
  EXPECT_EQ(fault_of(directives + "%TAG !x! x\n---\n1\n"),
            "f:101: has more than 100 %TAG directives");
}

}  // namespace
}  // namespace patchbay::config
