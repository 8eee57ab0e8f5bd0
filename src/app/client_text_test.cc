#include "app/client_text.h"

#include <gtest/gtest.h>

namespace patchbay::app {
namespace {

const ClientVariables kVariables{
    .workspace = "/work/${x}",
    .home = "/home/me",
    .inputs = {{.id = "api-key", .variable = "API_KEY"},
               {.id = "level", .variable = "LEVEL", .fallback = "info"}},
    .bare_dollar = true,
    .braces = true};

std::string translated(std::string_view text, bool for_program = false) {
  const auto result = translate_text(text, kVariables, for_program);
  if (!result) return "error: " + result.error().message;
  std::string out = result->text;
  for (const auto& name : result->left) out += " left:" + name;
  return out;
}

TEST(ClientText, VariablesOfTheEnvironment) {
  EXPECT_EQ(translated("a ${KEY} b"), "a ${env:KEY} b");
  EXPECT_EQ(translated("${KEY:-https://h:1/}x"), "${env:KEY:-https://h:1/}x");
  EXPECT_EQ(translated("${env:KEY} ${file:k}"), "${env:KEY} ${file:k}");
  EXPECT_EQ(translated("$KEY/$ 5$"), "${env:KEY}/$ 5$");
  EXPECT_EQ(translated("{env:KEY}{file:./k}{file:~/k}{x}"),
            "${env:KEY}${file:./k}${file:/home/me/k}{x}");
}

TEST(ClientText, VariablesOfEditors) {
  EXPECT_EQ(translated("${workspaceFolder}/a"), "/work/$${x}/a")
      << "the path itself is no variable";
  EXPECT_EQ(translated("${userHome}${/}${workspaceFolderBasename}"), "${env:HOME}/$${x}");
}

TEST(ClientText, Inputs) {
  EXPECT_EQ(translated("${input:api-key} ${input:level}"), "${env:API_KEY} ${env:LEVEL:-info}");
  EXPECT_EQ(translated("${input:other}"), "error: ${input:other} is not in `inputs`");
  EXPECT_EQ(input_variable("2fa.code-x"), "_2FA_CODE_X");
}

TEST(ClientText, TextForAShellStays) {
  EXPECT_EQ(translated("echo ${x} ${HOME} $y", true), "echo $${x} ${env:HOME} $y left:x");
  EXPECT_EQ(translated("${x}"), "${env:x}") << "elsewhere it can only be a variable";
  EXPECT_EQ(translated("${no end"), "$${no end");
}

}  // namespace
}  // namespace patchbay::app
