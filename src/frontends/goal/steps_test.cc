#include "frontends/goal/steps.h"

#include <gtest/gtest.h>

namespace patchbay::frontends {
namespace {

bool knows(std::string_view name) {
  return name == "calculate" || name == "echo" || name == "search" || name == "calc.add";
}

std::string steps(std::string_view goal) {
  std::string out;
  for (const auto step : split_goal(goal, knows)) out += std::string(step) + "|";
  return out;
}

TEST(GoalSteps, AreSeparatedByThenBeforeAStep) {
  EXPECT_EQ(steps("calculate: 1 + 1"), "calculate: 1 + 1|");
  EXPECT_EQ(steps("calculate: 1 + 1 then echo: x"), "calculate: 1 + 1|echo: x|");
  EXPECT_EQ(steps("calculate: 1, THEN\necho: x , then calc.add: a=1"),
            "calculate: 1|echo: x|calc.add: a=1|");
  EXPECT_EQ(steps("search x then summarize {previous}"), "search x|summarize {previous}|");
  EXPECT_EQ(steps("echo: a then calc.add"), "echo: a|calc.add|");
}

TEST(GoalSteps, LeaveArgumentsInJsonWhole) {
  EXPECT_EQ(steps(R"(calc.add: {"a": "x then echo: y"} then echo: z)"),
            R"(calc.add: {"a": "x then echo: y"}|echo: z|)");
  EXPECT_EQ(steps(R"(echo: x then calc.add: {"a": " then echo: y"})"),
            R"(echo: x|calc.add: {"a": " then echo: y"}|)");
  EXPECT_EQ(steps(R"(calc.add: {"a": {previous}} then echo: z)"),
            R"(calc.add: {"a": {previous}}|echo: z|)");
}

TEST(GoalSteps, LeaveProseAlone) {
  for (const auto* goal :
       {"echo: first we eat then we sleep", "echo: eat then search", "echo: strengthen: it",
        "echo: and then nobody: knew", "then echo: x", "echo: x then", "echo: lengthen echo: x"}) {
    EXPECT_EQ(steps(goal), std::string(goal) + "|");
  }
}

TEST(GoalSteps, AreNamedByANameAndAColon) {
  const auto named = named_step("  calc.add :  a=1 b=2 ");
  ASSERT_TRUE(named);
  EXPECT_EQ(named->name, "calc.add");
  EXPECT_EQ(named->text, "a=1 b=2");
  EXPECT_EQ(named_step("url: http://x:1")->text, "http://x:1");
  EXPECT_EQ(named_step("whoami")->name, "whoami");
  EXPECT_EQ(named_step("whoami")->text, "");
  EXPECT_FALSE(named_step("please calculate: 1"));
  EXPECT_FALSE(named_step(": 1"));
  EXPECT_FALSE(named_step(""));
}

TEST(FillIn, ReplacesEachPrevious) {
  EXPECT_EQ(*fill_in("a", "x", FillIn::plain, 100), "a");
  EXPECT_EQ(*fill_in("{previous} and {previous}", "x", FillIn::plain, 100), "x and x");
  EXPECT_EQ(*fill_in("<{previous}>", "{previous}", FillIn::plain, 100), "<{previous}>");
  EXPECT_EQ(*fill_in(R"({"t":"{previous}"})", "a\"b\n", FillIn::json, 100), R"({"t":"a\"b\n"})");
  EXPECT_EQ(*fill_in(R"({"n":{previous}})", "3.0", FillIn::json, 100), R"({"n":3.0})");
}

TEST(FillIn, IsBounded) {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += kPrevious;
  const auto filled = fill_in(many, std::string(1 << 20, 'x'), FillIn::plain, 1 << 20);
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().code, Code::too_large);
}

}  // namespace
}  // namespace patchbay::frontends
