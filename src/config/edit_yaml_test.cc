#include "config/edit_yaml.h"

#include <gtest/gtest.h>

#include "config/make_node.h"

namespace patchbay::config {
namespace {

Node program(std::string_view command) {
  return map_node({{"kind", 0, text_node("stdio")}, {"command", 0, text_node(command)}});
}

std::string added(std::string_view text, std::string_view key = "b") {
  auto done = add_yaml_member(text, "upstreams", key, program("run"));
  return done ? *done : "error: " + done.error().message;
}

std::string removed(std::string_view text, std::string_view key) {
  auto done = remove_yaml_member(text, "upstreams", key);
  return done ? *done : "error: " + done.error().message;
}

TEST(EditYaml, AddsAfterTheLastMember) {
  EXPECT_EQ(added("# top\n"
                  "upstreams: # all\n"
                  "    a: { kind: builtin } # first\n"
                  "      # of a\n"
                  "\n"
                  "# about rules\n"
                  "rules: []\n"),
            "# top\n"
            "upstreams: # all\n"
            "    a: { kind: builtin } # first\n"
            "      # of a\n"
            "    b:\n"
            "      kind: stdio\n"
            "      command: run\n"
            "\n"
            "# about rules\n"
            "rules: []\n");
}

TEST(EditYaml, AddsTheSection) {
  const std::string section = "upstreams:\n  b:\n    kind: stdio\n    command: run\n";
  EXPECT_EQ(added(""), section);
  EXPECT_EQ(added("listen: 127.0.0.1:0"), "listen: 127.0.0.1:0\n\n" + section);
  EXPECT_EQ(added("# only a comment\n"), "# only a comment\n\n" + section);
}

TEST(EditYaml, AddsToAnEmptySection) {
  for (const std::string_view empty : {"upstreams:", "upstreams: {}", "upstreams: null"}) {
    EXPECT_EQ(added(std::string(empty) + "\nstate: x\n"),
              "upstreams:\n  b:\n    kind: stdio\n    command: run\nstate: x\n");
  }
  EXPECT_EQ(added("upstreams: {} # none\n"),
            "upstreams: # none\n  b:\n    kind: stdio\n    command: run\n");
}

TEST(EditYaml, WritesTheLineEndsOfTheFile) {
  EXPECT_EQ(
      added("upstreams:\r\n  a: {kind: builtin}\r\n"),
      "upstreams:\r\n  a: {kind: builtin}\r\n  b:\r\n    kind: stdio\r\n    command: run\r\n");
}

TEST(EditYaml, Removes) {
  const std::string_view text =
      "upstreams:\n"
      "  a: # first\n"
      "    args: [\"#\",\n"
      "      x]\n"
      "    # of a\n"
      "  # about c\n"
      "  c:\n"
      "    note: |\n"
      "      text\n"
      "\n"
      "      # more text\n"
      "rules: []\n";
  EXPECT_EQ(removed(text, "a"),
            "upstreams:\n"
            "  # about c\n"
            "  c:\n"
            "    note: |\n"
            "      text\n"
            "\n"
            "      # more text\n"
            "rules: []\n");
  EXPECT_EQ(removed(text, "c"),
            "upstreams:\n"
            "  a: # first\n"
            "    args: [\"#\",\n"
            "      x]\n"
            "    # of a\n"
            "  # about c\n"
            "rules: []\n");
  EXPECT_EQ(removed(text, "d"), "error: `upstreams` has no 'd'");
}

TEST(EditYaml, LeavesAnEmptySection) {
  EXPECT_EQ(removed("upstreams: # all\n  a: {kind: builtin}\nstate: x\n", "a"),
            "upstreams: {} # all\nstate: x\n");
}

TEST(EditYaml, RefusesWhatItCannotEdit) {
  const std::string refusal = "error: `upstreams` is written in a style";
  EXPECT_TRUE(added("upstreams: { a: { kind: builtin } }\n").starts_with(refusal));
  EXPECT_TRUE(removed("upstreams: { a: {}, c: {} }\n", "a").starts_with(refusal));
  EXPECT_TRUE(added("- a list\n").starts_with(refusal));
  EXPECT_TRUE(added("upstreams: text\n").starts_with(refusal));
  EXPECT_TRUE(added("{state: x}\n").starts_with(refusal));
  EXPECT_TRUE(removed("upstreams:\n  a: &x {kind: builtin}\n  c: *x\n", "a").starts_with(refusal));
}

TEST(EditYaml, ReportsTextThatIsNotYaml) { EXPECT_TRUE(added("a: [\n").starts_with("error: ")); }

}  // namespace
}  // namespace patchbay::config
