#include "config/edit_toml.h"

#include <gtest/gtest.h>

#include "config/make_node.h"

namespace patchbay::config {
namespace {

std::string set(std::string_view text, std::string_view name = "b") {
  auto done = set_toml_table(
      text, "servers", name,
      map_node({{"url", 0, text_node("http://\"x\"")}, {"args", 0, list_node({"1", "2"})}}));
  return done ? *done : "error: " + done.error().message;
}

constexpr std::string_view kTable =
    "[servers.b]\nurl = \"http://\\\"x\\\"\"\nargs = [\"1\", \"2\"]\n";

TEST(EditToml, AddsATable) {
  EXPECT_EQ(set(""), kTable);
  EXPECT_EQ(set("a = 1 # x"), "a = 1 # x\n\n" + std::string(kTable));
  EXPECT_TRUE(set("", "b c").starts_with("[servers.\"b c\"]\n"));
}

TEST(EditToml, ReplacesATableAndThoseBelowIt) {
  EXPECT_EQ(
      set("# top\n[servers.a]\nurl = 'y'\n\n[servers . \"b\"] # old\nx = \"\"\"\n[z]\n\"\"\"\n"
          "[servers.b.env]\nK = '1'\n[other]\ny = 2\n"),
      "# top\n[servers.a]\nurl = 'y'\n\n" + std::string(kTable) + "\n[other]\ny = 2\n");
}

TEST(EditToml, RefusesOtherForms) {
  EXPECT_TRUE(set("servers = { a = {} }\n").starts_with("error: `servers` is not written as"));
  EXPECT_TRUE(set("servers.a.url = 'y'\n").starts_with("error: "));
}

}  // namespace
}  // namespace patchbay::config
