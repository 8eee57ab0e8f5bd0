#include "skills/summarize.h"

#include <gtest/gtest.h>

#include "json/read.h"
#include "skills/text_terms.h"

namespace patchbay {
namespace {

constexpr std::string_view kBees =
    "Honey bees live in large colonies. A colony of honey bees has one queen.\n"
    "My uncle had a red car. Worker bees gather nectar and turn it into honey. "
    "It was on a Tuesday, as far as anybody remembers, that the rain finally stopped. "
    "Honey feeds the colony in winter.";

std::string terms(std::string_view text) {
  std::string out;
  each_term(text, [&](const std::string& term) { out += term + "|"; });
  return out;
}

TEST(Words, AreInLowerCaseWithoutStopWords) {
  EXPECT_EQ(terms("The Bees, and the QUEEN's 12 drones; don't!"), "bees|queen|12|drones|");
  EXPECT_EQ(terms("Ärger ΣΟΦΙΑ Москва"), "ärger|σοφια|москва|");
  EXPECT_EQ(terms("北京大学, Tokyo東京"), "北京|京大|大学|tokyo|東京|");
}

TEST(Summarize, SelectsTheInformativeSentencesInOrder) {
  EXPECT_EQ(summarize(kBees, 1), "A colony of honey bees has one queen.");
  EXPECT_EQ(summarize(kBees, 3),
            "Honey bees live in large colonies. A colony of honey bees has one queen. "
            "Worker bees gather nectar and turn it into honey.");
}

TEST(Summarize, ReturnsShortTextWhole) {
  EXPECT_EQ(summarize("  One.\nTwo. ", 3), "One.\nTwo.");
  EXPECT_EQ(summarize("no stop at all", 1), "no stop at all");
  EXPECT_EQ(summarize(" \n ", 3), "");
}

TEST(Summarize, PutsASentenceOnOneLineAndOnlyOnce) {
  EXPECT_EQ(summarize("The bees\n  gather honey. Bees buzz. Bye.", 1), "The bees gather honey.");
  EXPECT_EQ(summarize("Bees buzz. Bees buzz. Bees buzz. Cars rust.", 2), "Bees buzz. Cars rust.");
}

TEST(Summarize, KnowsScriptsWithoutSpaces) {
  EXPECT_EQ(summarize("蜜蜂酿造蜂蜜。昨天下雨了。蜜蜂喜欢花，蜂蜜很甜。", 2),
            "蜜蜂酿造蜂蜜。 蜜蜂喜欢花，蜂蜜很甜。");
}

TEST(Summarize, StandsOddTextOfFullSize) {
  for (const std::string piece :
       {"a. ", ".", "\n", "\xF0\x9F\x98\x80", "A.B. ", "\"' ", "[1", "。", "x"}) {
    std::string text;
    while (text.size() + piece.size() <= kMaxSummarizedBytes) text += piece;
    EXPECT_TRUE(json::is_utf8(summarize(text, 3)));
  }
}

TEST(SummarizeSkill, ReadsItsArguments) {
  const auto answer = [](const std::string& arguments) {
    const auto text = kSummarizeSkill.run(arguments);
    if (text) return *text;
    EXPECT_EQ(text.error().code, Code::invalid_params);
    return text.error().message;
  };
  EXPECT_EQ(answer(R"({"text":"Ants dig. Bees buzz. Cats purr. Dogs bark."})"),
            "Ants dig. Bees buzz. Cats purr.");
  EXPECT_EQ(answer(R"({"text":"Bees buzz a lot. Ok.","sentences":1})"), "Bees buzz a lot.");
  EXPECT_EQ(answer(R"({"text":"Bees buzz a lot. Ok.","sentences":1.0})"), "Bees buzz a lot.");
  EXPECT_EQ(answer(R"({"text":"Bees.","sentences":null})"), "Bees.");
  EXPECT_EQ(answer(R"({"text":" \n"})"), "'text' is blank; give the text to summarize");
  EXPECT_EQ(answer("{}"), "'text' is missing; give it as a string");
  EXPECT_EQ(answer(R"({"text":["x"]})"), "'text' must be a string of Unicode text");
  for (const auto* count : {"0", "21", "1.5", "-1", "\"3\"", "true", "1e99"}) {
    EXPECT_EQ(answer(R"({"text":"x","sentences":)" + std::string(count) + "}"),
              "'sentences' must be a whole number from 1 to 20");
  }
  EXPECT_EQ(answer(R"({"text":"x","sentense":3})"),
            "unknown argument 'sentense'; known: text, sentences");
  EXPECT_EQ(answer(R"({"text":")" + std::string(kMaxSummarizedBytes + 1, 'x') + R"("})"),
            "'text' is 1048577 bytes long; at most 1048576 are accepted");
  EXPECT_TRUE(json::check(kSummarizeSkill.input_schema));
}

}  // namespace
}  // namespace patchbay
