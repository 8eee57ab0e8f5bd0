#include <gtest/gtest.h>

#include "config/load.h"

namespace patchbay::config {
namespace {

std::string toml_faults_of(const std::string& text) {
  Faults faults;
  load_text(text, "f.toml", faults);
  std::string all;
  for (const auto& fault : faults) all += to_string(fault) + "\n";
  return all;
}

TEST(Toml, IsReadWithLinesAndInItsOrder) {
  Faults faults;
  const Node root = load_text(
      "model = \"o\"\n[mcp_servers.z]\ncommand = \"x\"\nargs = [\"1\", 'a.b']\n"
      "env = { A = \"1\", D = 2024-01-02, T = 2024-01-02T03:04:05+01:30 }\ntool_timeout_sec = "
      "1.5\n[mcp_servers.a]\nenabled = false\nn = 5\n",
      "f.toml", faults);
  ASSERT_TRUE(faults.empty()) << faults.front().message;
  const Node& servers = *root.find("mcp_servers");
  ASSERT_EQ(servers.members.size(), 2U);
  EXPECT_EQ(servers.members[0].key, "z");
  const Node& z = servers.members[0].value;
  EXPECT_EQ(z.find("args")->items.at(1).text, "a.b");
  EXPECT_TRUE(z.find("command")->quoted);
  EXPECT_EQ(z.find("command")->line, 3);
  EXPECT_EQ(z.find("env")->find("A")->text, "1");
  EXPECT_EQ(z.find("env")->find("D")->text, "2024-01-02");
  EXPECT_EQ(z.find("env")->find("T")->text, "2024-01-02T03:04:05+01:30");
  EXPECT_EQ(z.find("tool_timeout_sec")->text, "1.5");
  EXPECT_EQ(servers.find("a")->find("enabled")->text, "false");
  EXPECT_EQ(servers.find("a")->find("n")->text, "5");
}

TEST(Toml, ReportsErrorsWithTheirLine) {
  EXPECT_TRUE(toml_faults_of("a = 1\nb = \n").starts_with("f.toml:2: invalid TOML: "));
  EXPECT_TRUE(toml_faults_of("a = 1\na = 2\n").starts_with("f.toml:2: invalid TOML: "));
  for (const auto* const text : {"[{", "[[,", "[a.]", "{", "a = {,", "a.= 1", "[\"a\" b]", "= 1"}) {
    EXPECT_TRUE(toml_faults_of(text).starts_with("f.toml:1: invalid TOML: ")) << text;
  }
}

TEST(Toml, IsBounded) {
  std::string deep = "a = ";
  for (int i = 0; i < 1'000; ++i) deep += '[';
  EXPECT_FALSE(toml_faults_of(deep).empty());
  std::string dotted = "x = \"";
  for (int i = 0; i < 100; ++i) dotted += "a.";
  EXPECT_EQ(toml_faults_of(dotted + "\" # " + dotted + "\n"), "") << "no keys";
  EXPECT_EQ(toml_faults_of("y = 1\n" + dotted.substr(5) + "a = 1\n"),
            "f.toml:2: has more than 32 dots\n");
}

}  // namespace
}  // namespace patchbay::config
