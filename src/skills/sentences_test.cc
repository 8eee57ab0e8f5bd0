#include "skills/sentences.h"

#include <gtest/gtest.h>

#include <string>

#include "json/text.h"

namespace patchbay {
namespace {

// The sentences with a bar between them.
std::string split(std::string_view text) {
  std::string out;
  for (const auto sentence : split_sentences(text)) {
    if (!out.empty()) out += '|';
    out += sentence;
  }
  return out;
}

TEST(Sentences, EndAtStops) {
  EXPECT_EQ(split("One. Two! Three? Four"), "One.|Two!|Three?|Four");
  EXPECT_EQ(split("  What?!  Yes.\n"), "What?!|Yes.");
  EXPECT_EQ(split("all small here. and here too. good."), "all small here.|and here too.|good.");
  EXPECT_EQ(split(" \n\t "), "");
  EXPECT_EQ(split(""), "");
}

TEST(Sentences, GoOnAfterAbbreviations) {
  EXPECT_EQ(split("Mr. Smith met Dr. Jones vs. Mrs. Brown. They spoke."),
            "Mr. Smith met Dr. Jones vs. Mrs. Brown.|They spoke.");
  EXPECT_EQ(split("Fruit, e.g. Apples, i.e. Malus, is good. So is tea."),
            "Fruit, e.g. Apples, i.e. Malus, is good.|So is tea.");
  EXPECT_EQ(split("See (cf. Fig. 3) and No. 5 of Jan. 12. Then stop."),
            "See (cf. Fig. 3) and No. 5 of Jan. 12.|Then stop.");
  EXPECT_EQ(split("He said no. Nobody moved."), "He said no.|Nobody moved.");
  EXPECT_EQ(split("Pens, ink etc. are here. Paper, glue etc. Nothing else."),
            "Pens, ink etc. are here.|Paper, glue etc.|Nothing else.");
  EXPECT_EQ(split("We left at 5 p.m. Nobody saw it at 6 p.m. on Monday."),
            "We left at 5 p.m.|Nobody saw it at 6 p.m. on Monday.");
}

TEST(Sentences, KnowInitials) {
  EXPECT_EQ(split("J. R. R. Tolkien wrote it. The U.S. Senate met in the U.S. It was late."),
            "J. R. R. Tolkien wrote it.|The U.S. Senate met in the U.S.|It was late.");
  EXPECT_EQ(split("Acme Inc. Europe grew. It is part of Acme Inc. The rest shrank."),
            "Acme Inc. Europe grew.|It is part of Acme Inc.|The rest shrank.");
}

TEST(Sentences, GoOnInsideNumbersAndNames) {
  EXPECT_EQ(split("Pi is 3.14 or so. See example.com/a.b for v1.2.3. Done."),
            "Pi is 3.14 or so.|See example.com/a.b for v1.2.3.|Done.");
  EXPECT_EQ(split("1. Open it. 2. Close it."), "1. Open it.|2. Close it.");
  EXPECT_EQ(split("It was 1999. Then 2000."), "It was 1999.|Then 2000.");
}

TEST(Sentences, KeepQuotesAndEllipsesTogether) {
  EXPECT_EQ(split("\"Really?\" he asked. \"Yes.\" She left. (It rained.) He stayed."),
            "\"Really?\" he asked.|\"Yes.\"|She left.|(It rained.)|He stayed.");
  EXPECT_EQ(split("Well... maybe. Well… maybe. Wait... No."),
            "Well... maybe.|Well… maybe.|Wait...|No.");
  EXPECT_EQ(split("“Gut.” „Nein.“ It is so.[1][23] Next."),
            "“Gut.”|„Nein.“|It is so.[1][23]|Next.");
}

TEST(Sentences, EndAtBlankLines) {
  EXPECT_EQ(split("A heading\n\nText that\nwraps. More.\r\n\r\nLast"),
            "A heading|Text that\nwraps.|More.|Last");
}

TEST(Sentences, KnowOtherScripts) {
  EXPECT_EQ(split("今天天气很好。我们去公园吧！好吗？「好。」走"),
            "今天天气很好。|我们去公园吧！|好吗？|「好。」|走");
  EXPECT_EQ(split("Это так. Да, это так. В 2020 г. было иначе."),
            "Это так.|Да, это так.|В 2020 г. было иначе.");
  EXPECT_EQ(split("Voilà à Orlà. Ça va là."), "Voilà à Orlà.|Ça va là.");
}

TEST(Sentences, NeverCutACharacter) {
  const std::string text = "à。é！“x.”…\u3000😀. 😀? İ.\u00a0Ω…… \n\u00a0\n ü. \u0085.";
  EXPECT_TRUE(json::is_utf8(split(text))) << split(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    // Broken text does no harm.
    EXPECT_NE(split(text.substr(i)), "");
    EXPECT_LE(split(text.substr(0, i)).size(), 2 * i);
  }
}

}  // namespace
}  // namespace patchbay
