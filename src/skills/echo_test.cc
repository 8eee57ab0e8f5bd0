#include "skills/echo.h"

#include <gtest/gtest.h>

#include "json/read.h"

namespace patchbay {
namespace {

TEST(EchoSkill, ReturnsTheText) {
  const auto text = kEchoSkill.run(R"({"text":"a\n\u00e9 \ud83d\ude00"})");
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "a\né 😀");
  EXPECT_EQ(*kEchoSkill.run(R"({"text":""})"), "");
  for (const auto* arguments : {"{}", R"({"text":1})", R"({"text":"a","b":1})"}) {
    const auto refused = kEchoSkill.run(arguments);
    ASSERT_FALSE(refused) << arguments;
    EXPECT_EQ(refused.error().code, Code::invalid_params);
  }
  EXPECT_TRUE(json::check(kEchoSkill.input_schema));
}

}  // namespace
}  // namespace patchbay
