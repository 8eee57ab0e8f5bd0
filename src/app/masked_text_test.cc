// Secrets that come back into an edited text: each to its own setting, and to no other.
#include "app/masked_text.h"

#include <gtest/gtest.h>

#include "app/configuration_text.h"
#include "config/load.h"

namespace patchbay::app {
namespace {

const std::string kEditedFile = "test.yaml";
constexpr char kFileWithSecrets[] =
    "# The gateway\n"
    "auth:\n"
    "  tokens:\n"
    "    - { name: ci, token: abcdefgh }  # not abcdefgh\n"
    "    - { name: ann, token: \"ijklmnop\" }\n"
    "upstreams:\n"
    "  a:\n"
    "    env:\n"
    "      KEY: sesame-open\n"
    "  b:\n"
    "    env:\n"
    "      KEY: another-one\n"
    "limits: { max_calls: 5 }\n";

std::string hidden_text(const std::string& text) {
  config::Faults faults;
  const config::Node root = config::parse_text(text, kEditedFile, faults);
  return without_secrets(text, scalars_of(root)).value_or("");
}

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const auto at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), by);
}

RestoredText restored(const std::string& edited) {
  return restore_secrets(kFileWithSecrets, hidden_text(kFileWithSecrets), edited, kEditedFile);
}

// Of an edit that is refused: the paths of its faults.
std::string faults_of(const std::string& edited) {
  std::string paths;
  for (const auto& fault : restored(edited).faults) paths += fault.path + ";";
  return paths;
}

TEST(MaskedText, ATextThatNobodyHasEditedIsTheFile) {
  const auto result = restored(hidden_text(kFileWithSecrets));
  EXPECT_TRUE(result.faults.empty());
  EXPECT_EQ(result.text, kFileWithSecrets);
}

TEST(MaskedText, SecretsStayWhereOtherSettingsChange) {
  auto edited = replaced(hidden_text(kFileWithSecrets), "max_calls: 5", "max_calls: 6");
  edited = replaced(edited, "# The gateway\n", "# My gateway\n# of today\n");
  const auto result = restored(edited);
  EXPECT_TRUE(result.faults.empty());
  auto wanted = replaced(kFileWithSecrets, "max_calls: 5", "max_calls: 6");
  EXPECT_EQ(result.text, replaced(wanted, "# The gateway\n", "# My gateway\n# of today\n"));
}

TEST(MaskedText, ALineWithASecretMayBeEdited) {
  const auto edited =
      replaced(hidden_text(kFileWithSecrets), "{ name: ann,", "{ name: ann, roles: [reader],");
  const auto result = restored(edited);
  EXPECT_TRUE(result.faults.empty());
  EXPECT_EQ(result.text,
            replaced(kFileWithSecrets, "{ name: ann,", "{ name: ann, roles: [reader],"));
}

TEST(MaskedText, ASecretMayBeReplacedByAnother) {
  const auto edited = replaced(hidden_text(kFileWithSecrets), "KEY: <secret>", "KEY: new-value");
  const auto result = restored(edited);
  EXPECT_TRUE(result.faults.empty());
  EXPECT_EQ(result.text, replaced(kFileWithSecrets, "sesame-open", "new-value"));
}

TEST(MaskedText, AnUpstreamMayGoWithItsSecret) {
  const auto edited =
      replaced(hidden_text(kFileWithSecrets), "  a:\n    env:\n      KEY: <secret>\n", "");
  const auto result = restored(edited);
  EXPECT_TRUE(result.faults.empty());
  EXPECT_EQ(result.text,
            replaced(kFileWithSecrets, "  a:\n    env:\n      KEY: sesame-open\n", ""));
}

TEST(MaskedText, AMaskElsewhereStandsForNothing) {
  EXPECT_EQ(
      faults_of(replaced(hidden_text(kFileWithSecrets), "max_calls: 5", "max_calls: '<secret>'")),
      "limits.max_calls;");
  EXPECT_EQ(faults_of(hidden_text(kFileWithSecrets) + "server: { instructions: \"<secret>\" }\n"),
            "server.instructions;");
  EXPECT_EQ(faults_of(replaced(hidden_text(kFileWithSecrets), "  b:\n", "  c:\n")),
            "upstreams.c.env.KEY;");
  EXPECT_EQ(faults_of(hidden_text(kFileWithSecrets) + "# <secret>\n"), ";");
}

TEST(MaskedText, SecretsStayWithTheirSettings) {
  // The second token is now the first one: its mask stands for the secret.
  auto edited = replaced(hidden_text(kFileWithSecrets), "name: ci", "name: x");
  edited = replaced(edited, "name: ann", "name: ci");
  const auto result = restored(edited);
  EXPECT_TRUE(result.faults.empty());
  EXPECT_NE(result.text.find("{ name: x, token: abcdefgh }"), std::string::npos);
  EXPECT_NE(result.text.find("{ name: ci, token: \"ijklmnop\" }"), std::string::npos);
}

}  // namespace
}  // namespace patchbay::app
