#include "config/edit_toml.h"

#include <gtest/gtest.h>

#include "config/make_node.h"

namespace patchbay::config {
namespace {

std::string edited_toml(std::string_view text, std::string_view name = "b") {
  auto done = set_toml_table(
      text, "servers", name,
      map_node({{"url", 0, text_node("http://\"x\"")}, {"args", 0, list_node({"1", "2"})}}));
  return done ? *done : "error: " + done.error().message;
}

constexpr std::string_view kTable =
    "[servers.b]\nurl = \"http://\\\"x\\\"\"\nargs = [\"1\", \"2\"]\n";

TEST(EditToml, AddsATable) {
  EXPECT_EQ(edited_toml(""), kTable);
  EXPECT_EQ(edited_toml("a = 1 # x"), "a = 1 # x\n\n" + std::string(kTable));
  EXPECT_TRUE(edited_toml("", "b c").starts_with("[servers.\"b c\"]\n"));
}

TEST(EditToml, ReplacesATableAndThoseBelowIt) {
  EXPECT_EQ(
      edited_toml(
          "# top\n[servers.a]\nurl = 'y'\n\n[servers . \"b\"] # old\nx = \"\"\"\n[z]\n\"\"\"\n"
          "[servers.b.env]\nK = '1'\n[other]\ny = 2\n"),
      "# top\n[servers.a]\nurl = 'y'\n\n" + std::string(kTable) + "\n[other]\ny = 2\n");
}

TEST(EditToml, RefusesOtherForms) {
  EXPECT_TRUE(
      edited_toml("servers = { a = {} }\n").starts_with("error: `servers` is not written as"));
  EXPECT_TRUE(edited_toml("servers.a.url = 'y'\n").starts_with("error: "));
}

}  // namespace
}  // namespace patchbay::config
