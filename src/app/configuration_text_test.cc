// What people see of a configuration: no secret, and the faults of a text that is only looked at.
#include "app/configuration_text.h"

#include <gtest/gtest.h>

#include "config/load.h"

namespace patchbay::app {
namespace {

std::optional<std::string> masked(const std::string& text) {
  config::Faults faults;
  const config::Node root = config::parse_text(text, "test.yaml", faults);
  EXPECT_TRUE(faults.empty());
  return without_secrets(text, scalars_of(root));
}

TEST(ConfigurationText, KnowsWhatMayBeSecret) {
  EXPECT_TRUE(may_be_secret("auth.tokens[0].token", "abcdefgh"));
  EXPECT_TRUE(may_be_secret("upstreams.a.auth.client_secret", "abcdefgh"));
  EXPECT_TRUE(may_be_secret("upstreams.a.env.WHATEVER", "abcdefgh"));
  EXPECT_TRUE(may_be_secret("upstreams.a.headers.X-Key", "abcdefgh"));
  EXPECT_TRUE(may_be_secret("upstreams.a.url", "https://ann:pw@example.org/mcp"));
  EXPECT_TRUE(may_be_secret("upstreams.a.args[1]", "--api_key=abcdefgh"));
  EXPECT_FALSE(may_be_secret("upstreams.a.url", "https://example.org/@ann"));
  EXPECT_FALSE(may_be_secret("auth.token_file", "/etc/patchbay/tokens"));
  EXPECT_FALSE(may_be_secret("auth.tokens[0].token", "${env:TOKEN}"));
  EXPECT_TRUE(may_be_secret("upstreams.a.env.PIN", "1234"));
  EXPECT_TRUE(may_be_secret("upstreams.a.auth.password", "12345678"));
  EXPECT_FALSE(may_be_secret("limits.max_tokens", "100"));
  EXPECT_FALSE(may_be_secret("auth.max_token_size", "16KiB"));
  EXPECT_FALSE(may_be_secret("upstreams.a.command", "npx"));
}

TEST(ConfigurationText, MasksEachSecretWhereItIs) {
  EXPECT_EQ(masked("auth:\n  tokens:\n    - { name: ci, token: abcdefgh }\n"),
            "auth:\n  tokens:\n    - { name: ci, token: <secret> }\n");
  EXPECT_EQ(masked("upstreams:\n  a: { env: { A: abcdefgh, B: abcdefgh } }\n"),
            "upstreams:\n  a: { env: { A: <secret>, B: <secret> } }\n");
}

TEST(ConfigurationText, ATextWithMasksCanBeRead) {
  const auto text = masked("auth:\n  tokens:\n    - { name: ci, token: abcdefgh }\n");
  ASSERT_TRUE(text);
  config::Faults faults;
  (void)config::parse_text(*text, "test.yaml", faults);
  EXPECT_TRUE(faults.empty());
  EXPECT_TRUE(check_text(*text, "test.yaml").empty());
}

TEST(ConfigurationText, MasksASecretThatIsAlsoAnotherValueOfItsLine) {
  EXPECT_EQ(masked("auth:\n  tokens:\n    - { name: abcd, token: abcd }\n"),
            "auth:\n  tokens:\n    - { name: <secret>, token: <secret> }\n");
}

TEST(ConfigurationText, MasksWhatFollowsAnOption) {
  EXPECT_EQ(masked("upstreams:\n  a: { args: [-v, --api-token, abcd, rest] }\n"),
            "upstreams:\n  a: { args: [-v, --api-token, <secret>, rest] }\n");
}

TEST(ConfigurationText, ShowsNothingIfASecretIsNotFound) {
  EXPECT_EQ(masked("auth: { tokens: [{ name: ci, token: \"abc\\x64efgh\" }] }\n"), std::nullopt);
  EXPECT_EQ(masked("upstreams:\n  a:\n    env:\n      KEY: |\n        one\n        two\n"),
            std::nullopt);
}

TEST(ConfigurationText, SettingsHaveTheirSources) {
  config::Faults faults;
  const config::Node root =
      config::parse_text("limits:\n  max_calls: 7\nstate: ${env:STATE}\n", "test.yaml", faults);
  int found = 0;
  for (const auto& line : effective_settings(root)) {
    if (line.path == "limits.max_calls") {
      EXPECT_EQ(line.value, "7");
      EXPECT_EQ(line.source, "file");
      EXPECT_EQ(line.line, 2);
      ++found;
    }
    if (line.path == "state") {
      EXPECT_EQ(line.source, "environment");
      ++found;
    }
    if (line.path == "limits.max_sessions") {
      EXPECT_EQ(line.source, "default");
      ++found;
    }
  }
  EXPECT_EQ(found, 3) << "each once";
}

TEST(ConfigurationText, FaultsHaveTheirLines) {
  const auto faults =
      check_text("limits:\n  max_calls: many\nupstreams:\n  a: { kind: no }\n", "f");
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_EQ(faults[0].line, 2);
  EXPECT_EQ(faults[0].path, "limits.max_calls");
  EXPECT_EQ(faults[1].path, "upstreams.a.kind");
}

TEST(ConfigurationText, WhatIsNotKnownHereIsNoFault) {
  EXPECT_TRUE(check_text("limits: { max_calls: '${env:NONE}' }\n", "f").empty());
  EXPECT_TRUE(check_text("auth: { tokens: [{ name: a, token: '<secret>' }] }\n", "f").empty());
  EXPECT_TRUE(check_text("", "f").empty());
}

}  // namespace
}  // namespace patchbay::app
